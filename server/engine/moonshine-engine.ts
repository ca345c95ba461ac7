import type { EngineDescription, TranscriptionEngine } from './engine-port.ts';
import { recogniseInPieces } from './recognise-in-pieces.ts';
import { type SupervisorPorts, superviseRecogniser } from './supervised-recogniser.ts';

const DESCRIPTION: EngineDescription = {
  engine: 'moonshine',
  model: 'moonshine-tiny-int8',
  languages: ['en'],
  defaultLanguage: 'en',
};

/**
 * The embedded engine: English, from the npm registry alone, in a process of its own. One speed, so
 * `fast` changes nothing.
 */
export function createMoonshineEngine(ports: SupervisorPorts): TranscriptionEngine {
  const recogniser = superviseRecogniser(ports);
  let started: Promise<void> | null = null;
  return {
    description: DESCRIPTION,
    state: recogniser.state,
    start() {
      started ??= recogniser.start();
      return started;
    },
    async transcribe(samples, { language }, signal, turn) {
      const recognise = (utterance: Float32Array) => recogniser.recognise(utterance, language);
      const text = await recogniseInPieces(recognise, samples, signal, turn);
      return { text, language };
    },
    dispose: async () => recogniser.stop(),
  };
}
