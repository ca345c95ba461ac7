import { msToSamples, rangeSamples, type SampleRange } from '../../src/core/audio/audio-format.ts';
import type { SoundPacker } from '../../src/core/audio/audio-types.ts';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import {
  heardText,
  isWanting,
  joinTranscripts,
  type QueueItem,
  reviewReason,
  standingChunks,
  undeliveredText,
} from '../../src/core/queue/queue-item.ts';
import {
  type Ask,
  type RecordingRecord,
  type RewrittenText,
  rewritingDictationId,
  rewrittenBy,
} from '../../src/core/recordings/recording-record.ts';
import type { DictationLocks } from '../../src/platform/locks.ts';
import type { RecordingStore, Stretch } from '../store/recording-store.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';

type RewriterPorts = {
  readonly store: Pick<RecordingStore, 'get' | 'ranges' | 'stretches'>;
  readonly packer: Pick<SoundPacker, 'join'>;
  readonly queue: Pick<
    UploadQueue,
    'cache' | 'look' | 'enqueue' | 'adopt' | 'sessionClosed' | 'discard'
  >;
  readonly locks: Pick<DictationLocks, 'take'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** The text is to be kept; fulfilled when it is, or is not wanted any more. */
  readonly onText: (id: string, ask: Ask, answer: RewrittenText) => Promise<unknown>;
};

/**
 * Has recordings transcribed again: their pieces go into the queue under a session of their own,
 * and the request stays in the recording until its text is there. After a crash the pieces are
 * therefore queued again, or the text is taken again.
 */
export type Rewriter = ReturnType<typeof createRewriter>;

export function createRewriter(ports: RewriterPorts) {
  const { store, packer, queue, locks, clock, log } = ports;
  const sending = new Set<string>();
  /** By session: whether to look again, since something has changed meanwhile. */
  const looking = new Map<string, boolean>();

  const numbersOf = (dictationId: string): ReadonlySet<number> =>
    new Set(itemsOf(dictationId).map(({ number }) => number));

  async function enqueueAll(record: RecordingRecord, ask: Ask, dictationId: string): Promise<void> {
    const known = numbersOf(dictationId);
    const pieces = piecesOf(await store.stretches(record.id));
    for (const [number, piece] of pieces.entries()) {
      if (known.has(number)) continue;
      await queue.enqueue(await toItem(dictationId, number, piece, ask));
    }
  }

  /** True if all pieces are in the queue, those that other tabs have put there included. */
  async function isAllThere(recordingId: string, dictationId: string): Promise<boolean> {
    if (!(await queue.look())) throw new DikteraError('storage-failed', 'The queue is not read');
    const pieces = piecesOf(await store.ranges(recordingId));
    return pieces.length === numbersOf(dictationId).size;
  }

  async function toItem(
    dictationId: string,
    number: number,
    piece: readonly Stretch[],
    { options, atMs }: Ask,
  ): Promise<QueueItem> {
    const audio = await packer.join(piece.map(({ packets }) => packets));
    return {
      id: `${dictationId}:${number}`,
      dictationId,
      number,
      options,
      createdAtMs: atMs,
      durationSamples: audio.durationSamples,
      ranges: piece.map(({ startSample, endSample }) => ({ startSample, endSample })),
      // All of it goes, what is silent too: no words are no doubt.
      speechSamples: 0,
      rounds: 0,
      asks: 0,
      state: { kind: 'pending', nextAttemptAtMs: clock.nowMs(), lastError: null },
      audio,
    };
  }

  const itemsOf = (dictationId: string) =>
    queue.cache.list().filter((item) => item.dictationId === dictationId);

  /** Null while a piece of it has none. */
  async function textOf(record: RecordingRecord, ask: Ask): Promise<RewrittenText | null> {
    const dictationId = rewritingDictationId(record.id, ask.number);
    const chunks = itemsOf(dictationId);
    if (chunks.length === 0 || chunks.some(({ state }) => isWanting(state))) return null;
    const ranges = await store.ranges(record.id);
    if (chunks.length < piecesOf(ranges).length) return null;
    const texts = new Map(
      chunks.map(({ number, state }) => [number, undeliveredText(state) ?? '']),
    );
    const heards = new Map(chunks.map(({ number, state }) => [number, heardText(state)]));
    const [text, heard] = [joinTranscripts(texts), joinTranscripts(heards)];
    const [needsReview = null] = chunks.flatMap(({ state }) => reviewReason(state) ?? []);
    const isTimed = chunks.some(({ state }) => 'times' in state);
    const wordTimes = isTimed ? await import('../upload/word-times.ts').catch(() => null) : null;
    const stand = standingChunks(
      chunks.flatMap(({ number, state }) =>
        'text' in state ? [{ ...state, number, text: heardText(state) }] : [],
      ),
    );
    const heardTimes = wordTimes?.heardTimes(stand);
    const words = { text, ...(heard !== text && { heard }), ...(heardTimes && { heardTimes }) };
    return { ...words, needsReview };
  }

  async function take(record: RecordingRecord, ask: Ask): Promise<void> {
    const answer = await textOf(record, ask);
    if (!answer) return;
    await ports.onText(record.id, ask, answer);
    const items = itemsOf(rewritingDictationId(record.id, ask.number));
    await Promise.all(items.map(({ id }) => queue.cache.remove(id, 'delivered')));
  }

  async function lookOnce(dictationId: string, recordingId: string, number: number): Promise<void> {
    const isUnderWay = looking.has(dictationId);
    looking.set(dictationId, isUnderWay);
    if (isUnderWay) return;
    do {
      looking.set(dictationId, false);
      await lookNow(dictationId, recordingId, number);
    } while (looking.get(dictationId));
    looking.delete(dictationId);
  }

  async function lookNow(dictationId: string, recordingId: string, number: number): Promise<void> {
    try {
      // As it is now: another tab may just have asked for it.
      const record = await store.get(recordingId);
      const isWanted = record?.asked?.number === number && !record.isInBin;
      if (isWanted && record.asked) await take(record, record.asked);
      else await Promise.all(itemsOf(dictationId).map(({ id }) => queue.discard(id)));
    } catch (thrown) {
      log.error('A text written down again could not be kept yet', toInfo(thrown));
    }
  }

  return {
    /** Puts into the queue what is not there yet of what was asked for. Never rejects. */
    async send(record: RecordingRecord): Promise<void> {
      const { id, asked } = record;
      if (!asked) return;
      const dictationId = rewritingDictationId(id, asked.number);
      if (sending.has(dictationId)) return;
      sending.add(dictationId);
      try {
        if (await isAllThere(id, dictationId)) return;
        // Nothing of it is sent before all of it is there, and one tab puts it there.
        const release = await locks.take(dictationId);
        if (!release) return;
        await enqueueAll(record, asked, dictationId).finally(release);
        queue.adopt(dictationId);
        queue.sessionClosed();
      } catch (thrown) {
        log.error('A recording could not be sent again yet', toInfo(thrown));
      } finally {
        sending.delete(dictationId);
      }
      // Deleted meanwhile, none of it is wanted.
      await lookOnce(dictationId, id, asked.number);
    },
    /**
     * Takes the texts that have come, and drops pieces that are not wanted any more: a recording in
     * the bin is asked for again when it is restored.
     */
    async look(): Promise<void> {
      for (const { dictationId } of queue.cache.list()) {
        const of = rewrittenBy(dictationId);
        if (of && !sending.has(dictationId)) await lookOnce(dictationId, of.recordingId, of.ask);
      }
    },
  };
}

function toInfo(thrown: unknown): ErrorInfo {
  return toErrorInfo(thrown, 'storage-failed');
}

/** The most that a server is sent at once. */
const MAX_PIECE_SAMPLES = msToSamples(90_000);

/** A recording's stretches, several to a piece where they fit: always the same for the same. */
function piecesOf<Range extends SampleRange>(
  stretches: readonly Range[],
): readonly (readonly Range[])[] {
  const pieces: Range[][] = [];
  let pieceSamples = Number.POSITIVE_INFINITY;
  for (const stretch of stretches) {
    pieceSamples += rangeSamples(stretch);
    if (pieceSamples <= MAX_PIECE_SAMPLES) pieces.at(-1)?.push(stretch);
    else {
      pieces.push([stretch]);
      pieceSamples = rangeSamples(stretch);
    }
  }
  return pieces;
}
