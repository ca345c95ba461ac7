import { localCommand } from '../run.ts';
import type { Stage } from './run-stage.ts';

export const LINT: Stage = {
  title: 'Format and lint',
  command: localCommand('biome'),
  args: ['check', '--error-on-warnings', '.'],
};

export const TYPES: Stage = { title: 'Types', command: localCommand('tsc'), args: ['-b'] };

export const BUILD: Stage = {
  title: 'Production build',
  command: localCommand('tsx'),
  args: ['tools/build-if-needed.ts'],
};

/**
 * The tests of one of vitest's projects, or of several with a `*`; `more` are its own arguments, as the files that are meant.
 */
export function vitest(title: string, project: string, more: readonly string[] = []): Stage {
  const args = ['run', '--project', project, ...more];
  return { title, command: localCommand('vitest'), args };
}

/** The fault tests that tell most with live pieces, in the field at each pause. */
export const LIVE_FAULTS: Stage = {
  ...vitest('Fault tests, live', 'faults', ['exact-samples', 'held-texts', 'no-encoder']),
  env: { FAULT_LIVE: 'at-pause' },
};

/**
 * What tells most in Firefox, one page after the other: what is written into fields, what is heard,
 * kept, encoded and computed, and the options. All of it is `npm run test:firefox`.
 */
export const FIREFOX: Stage = vitest('Browser tests, Firefox', 'firefox', [
  'tests/browser/field-',
  'tests/browser/journal-',
  'tests/browser/queue-store',
  'audio-encoder',
  'joined-sound',
  'kernel.test',
  'life-lock',
  'load-engine',
  'silero-ort',
  'tests/browser/worklet',
  'tests/browser/capture.test',
  'capture-failures',
  'capture-microphones',
  'capture-screen',
  'controller',
  'dispose',
  'move-earlier',
  'recording-store',
  'ui-options',
  'ui-toolbar',
  'waiting-list',
]);

/** The same in WebKitGTK, the nearest to Safari; all of it is `npm run test:webkit`. */
export const WEBKIT: Stage = vitest('Browser tests, WebKitGTK', 'webkit', [
  'tests/browser/field-',
  'tests/browser/journal-',
  'tests/browser/queue-store',
  'tests/browser/worklet',
  'audio-encoder',
  'joined-sound',
  'kernel.test',
  'life-lock',
  'load-engine',
  'move-earlier',
  'silero-ort',
  'ui-options',
  'ui-recording',
  'ui-toolbar',
]);
