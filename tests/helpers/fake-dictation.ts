import { createMicrophoneDiagnostics } from '../../src/core/audio/microphone-diagnostics.ts';
import type {
  DeliveryVerdict,
  Dictation,
  StartOptions,
} from '../../src/core/contracts/dictation.ts';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import { IDLE_SESSION, type SessionPhase } from '../../src/core/session/snapshot.ts';
import type { WrittenSnippet } from '../../src/core/written-snippet.ts';
import { createStillDictation, type StillDictation } from '../../src/widget/still-dictation.ts';
import { makeQueueItem } from './queue-items.ts';

/** A dictation without microphone and worker: the test says what is heard. */
export type FakeDictation = StillDictation & {
  /** The options of each `start`. */
  readonly started: StartOptions[];
  /** The names of the methods called. */
  readonly calls: string[];
  /** The sessions whose places other tabs spare. */
  readonly heldPlaces: ReadonlySet<string>;
  /** The frame that comes next, for the meter and the diagnostics. */
  hear(levelDbfs: number, isSpeaking: boolean, highBandDbfs?: number): void;
  /** Sets the content of the queue. */
  setQueue(items: readonly QueueItemHead[]): void;
  /**
   * Ends the session with a text as the worker does, and keeps one not taken; says the field's
   * answer.
   */
  deliver(text: string, snippets?: readonly WrittenSnippet[]): Promise<DeliveryVerdict>;
};

/** Records while it is told to; `stop` leaves it transcribing until `deliver`. */
export function createFakeDictation(
  answer: { isRefused?: boolean; opening?: Promise<void> } = {},
): FakeDictation {
  const still = createStillDictation();
  const diagnostics = createMicrophoneDiagnostics();
  const started: StartOptions[] = [];
  const calls: string[] = [];
  const heldPlaces = new Set<string>();
  let deliver: StartOptions['deliver'];
  let sessionId = 'session';
  /** As with the real one, a session is over when its text has been delivered. */
  let delivering: Promise<DeliveryVerdict> | null = null;

  const enter = (phase: SessionPhase): void => {
    const isPaused = phase === 'paused';
    const isRecording = phase === 'recording' || isPaused;
    still.setSession({ id: sessionId, phase, isRecording, isPaused });
  };

  const commands: Partial<Dictation> = {
    prepare: () => calls.push('prepare'),
    async start(options = {}) {
      calls.push('start');
      started.push(options);
      if (answer.isRefused) return { ok: false, reason: 'microphone-denied' };
      deliver = options.deliver;
      sessionId = options.id ?? 'session';
      enter('starting');
      await answer.opening;
      enter('recording');
      return { ok: true };
    },
    pause() {
      calls.push('pause');
      enter('paused');
    },
    resume() {
      calls.push('resume');
      enter('recording');
    },
    async stop() {
      calls.push('stop');
      if (delivering) return delivering.then(() => null);
      if (still.getSnapshot().session.id === null) return null;
      enter('transcribing');
      return null;
    },
  };

  const setQueue = (items: readonly QueueItemHead[]): void =>
    still.set({ queue: { ...still.getSnapshot().queue, items, isLoaded: true } });

  return {
    ...still,
    ...commands,
    cancel() {
      calls.push('cancel');
      still.set({ session: IDLE_SESSION, cancelled: still.getSnapshot().session.id });
    },
    undoCancel() {
      calls.push('undoCancel');
      still.set({ cancelled: null });
    },
    started,
    calls,
    heldPlaces,
    setQueue,
    async holdPlace(dictationId) {
      heldPlaces.add(dictationId);
      return () => void heldPlaces.delete(dictationId);
    },
    // As the worker settles a claim.
    async takeText(dictationId, insert) {
      const { items } = still.getSnapshot().queue;
      const own = items.filter((item) => item.dictationId === dictationId);
      const texts = own.flatMap(({ state }) => (state.kind === 'answered' ? [state.text] : []));
      if (texts.length === 0) return false;
      calls.push('takeText');
      const verdict = await insert(texts.join('\n'), new AbortController().signal);
      const left = still.getSnapshot().queue.items;
      if (verdict !== false) setQueue(left.filter((item) => item.dictationId !== dictationId));
      return verdict;
    },
    // Sounds of s are some 15 dB below a voice.
    hear(levelDbfs, isSpeaking, highBandDbfs = levelDbfs - 15) {
      const { processedFrames } = still.getSnapshot().session;
      still.setSession({
        levelDbfs,
        // As in the worker. Speech peaks some 12 dB above its mean.
        microphoneProblem: diagnostics.examine({
          levelDbfs,
          peakDbfs: Math.min(0, levelDbfs + 12),
          highBandDbfs,
          isSpeaking,
          isInferred: true,
        }),
        isSpeaking,
        processedFrames: processedFrames + 1,
        accumulatedRecordingMs: (processedFrames + 1) * 96,
      });
    },
    async deliver(text, snippets = []) {
      const result = { text, failedChunks: 0, chunksToReview: 0 };
      still.setSession({ phase: 'stopped', transcriptions: new Map([[0, text]]), snippets });
      delivering = Promise.resolve(deliver?.(result, new AbortController().signal) ?? true);
      const verdict = await delivering;
      if (verdict === false) {
        const state = { kind: 'answered', text, needsReview: null } as const;
        setQueue([makeQueueItem({ dictationId: sessionId, state })]);
      }
      delivering = null;
      still.set({ session: IDLE_SESSION });
      return verdict;
    },
  };
}
