import { createDictation, type LiveText, type StartOptions } from '../../../src/index.ts';

/** The words as they stood from a moment on. */
export type SeenAt = LiveText & {
  /** Of this page's clock. */
  readonly atMs: number;
  /** The length of the recording by then. */
  readonly recordedMs: number;
  readonly isSpeaking: boolean;
  /** The beginning of the current speech, its padding included, in ms of the recording. */
  readonly speechFromMs: number | null;
};

const dictation = createDictation();
const seen: SeenAt[] = [];
const pieces: string[] = [];

dictation.subscribe(() => {
  const { live, isSpeaking, accumulatedRecordingMs, speechSegments } =
    dictation.getSnapshot().session;
  const last = seen.at(-1);
  if (!live || (last?.isSpeaking === isSpeaking && isSame(last, live))) return;
  const from = speechSegments[0]?.startSample;
  seen.push({
    ...live,
    isSpeaking,
    atMs: performance.now(),
    recordedMs: accumulatedRecordingMs,
    speechFromMs: from === undefined ? null : from / 16,
  });
});

function isSame(one: LiveText, other: LiveText): boolean {
  return (
    one.finalText === other.finalText &&
    one.firm === other.firm &&
    one.tentative === other.tentative
  );
}

/** The commands for tests. */
const bench = {
  start: (options: StartOptions) =>
    dictation.start({
      ...options,
      deliverPiece: (text) => {
        pieces.push(text);
        return true;
      },
    }),
  /** Stops; gives the text and the time it took. */
  async stop() {
    const startedMs = performance.now();
    const result = await dictation.stop();
    return { text: result?.text ?? '', tookMs: performance.now() - startedMs };
  },
  seen: () => seen,
  pieces: () => pieces,
  session: () => dictation.getSnapshot().session,
  lostSamples: () => dictation.getSnapshot().ledger.lostSamples,
  waiting: () => dictation.getSnapshot().queue.items.length,
};

export type LiveBench = typeof bench;

Object.assign(globalThis, { bench });
