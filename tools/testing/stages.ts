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

/** One page after the other: only the window in front takes what is typed. */
export const FIREFOX: Stage = vitest('Browser tests, Firefox', 'firefox');

/**
 * WebKitGTK is the nearest to Safari. What its audio thread dies of takes the whole page along, and
 * it gives back the addresses of WASM memories late.
 */
export const WEBKIT: Stage = {
  ...vitest('Browser tests, WebKitGTK', 'webkit*'),
  engineDied: /Browser connection was closed while running tests|RangeError: Out of memory/,
};
