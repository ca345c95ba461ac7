import type { TranscriptionEngine } from './engine-port.ts';
import type { WhisperSource } from './engine-protocol.ts';
import { type SupervisorPorts, superviseRecogniser } from './supervised-recogniser.ts';

/** Which model, and what it writes. */
export type TransformersSettings = WhisperSource & {
  /** Never empty. */
  readonly languages: readonly string[];
  /** What an empty `language` means: Transformers.js finds out nothing and would write English. */
  readonly defaultLanguage: string;
};

/** Half a gigabyte comes over a slow line. */
const LOAD_MS = 3_600_000;

/** As long as any engine elsewhere may be given; a large model writes slower than one speaks. */
const STALL_MS = 600_000;

/**
 * Whisper, such as KBLab's for Swedish, by way of Transformers.js in a process of its own. It only
 * decodes greedily, so `fast` changes nothing. It takes one recording at a time: `CONCURRENCY` 1
 * suits it.
 */
export function createTransformersEngine(
  settings: TransformersSettings,
  ports: Omit<SupervisorPorts, 'loadMs' | 'stallMs'>,
): TranscriptionEngine {
  const { model, languages, defaultLanguage } = settings;
  const recogniser = superviseRecogniser({ ...ports, loadMs: LOAD_MS, stallMs: STALL_MS });
  let started: Promise<void> | null = null;
  return {
    description: { engine: 'transformers', model, languages, defaultLanguage },
    state: recogniser.state,
    start() {
      started ??= recogniser.start();
      return started;
    },
    async transcribe(samples, { language }, signal) {
      signal.throwIfAborted();
      return { text: await recogniser.recognise(samples, language), language };
    },
    dispose: async () => recogniser.stop(),
  };
}
