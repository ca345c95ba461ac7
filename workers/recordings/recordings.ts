import type { SoundPacker } from '../../src/core/audio/audio-types.ts';
import { type Clock, isSince, type Random } from '../../src/core/clock.ts';
import type { AudioFile } from '../../src/core/contracts/dictation.ts';
import { toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { TranscriptionOptions } from '../../src/core/options/dictation-options.ts';
import {
  type ChunkText,
  joinTranscripts,
  standingChunks,
  textFlowOf,
} from '../../src/core/queue/queue-item.ts';
import type { Keeping, Transcript } from '../../src/core/recordings/recording.ts';
import {
  type RecordingStart,
  transcriptsOf,
  withRewritten,
} from '../../src/core/recordings/recording-record.ts';
import type { JournalHeader, JournalRecording } from '../../src/core/session/journal.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import type { DictationLocks } from '../../src/platform/locks.ts';
import { isFull } from '../store/database.ts';
import type { Journal } from '../store/journal.ts';
import type { RecordingStore, Stretch } from '../store/recording-store.ts';
import type { DictationEntries } from '../upload/dictation-entry.ts';
import { languageOf, type WorkerRules } from '../upload/ruled-request.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';
import { createBin, createHousekeeping } from './housekeeping.ts';
import {
  createKnownRecordings,
  type RecordingsChannel,
  type RecordingsMessage,
} from './known-recordings.ts';
import { createRecorder, NO_RECORDER, type Recorder, unkeptSound } from './recorder.ts';
import { createRewriter } from './rewriter.ts';

/** The text of one chunk. */
type Piece = Pick<ChunkText, 'number' | 'isLive' | 'text' | 'heard'>;

type RecordingsPorts = {
  readonly store: RecordingStore;
  readonly packer: SoundPacker;
  readonly journal: Pick<Journal, 'keepFrom' | 'list' | 'read'>;
  readonly queue: UploadQueue;
  readonly locks: Pick<DictationLocks, 'take' | 'isOrphan'>;
  readonly isPlaceHeld: (dictationId: string) => Promise<boolean>;
  readonly rules: Pick<WorkerRules, 'apply'>;
  readonly entries: DictationEntries;
  readonly channel: RecordingsChannel;
  readonly keeping: Keeping;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
};

/** Every dictation whole, with its texts, until its time is over. */
export type Recordings = ReturnType<typeof createRecordings>;

export function createRecordings(ports: RecordingsPorts) {
  const { store, packer, journal, queue, entries, locks, channel, clock, log } = ports;
  const known = createKnownRecordings({
    ...ports,
    isShown: (record) => !record.isInBin || bin.isHere(record),
    onRecords: (records) => bin.look(records),
  });
  const { change, load } = known;

  const rewriter = createRewriter({
    store,
    packer,
    queue,
    locks,
    clock,
    log,
    onText: (id, ask, answer) =>
      change(id, (record) => withRewritten(record, ask, answer, clock.nowMs())),
  });

  const bin = createBin({
    name: `bin-${clock.nowMs()}-${ports.random()}`,
    locks,
    clock,
    remove: (id) => known.remove(id, ({ isInBin }) => isInBin).then(() => rewriter.look()),
    log,
  });

  const house = createHousekeeping({ ...ports, known, rewriter, end, before: binRest });

  async function keepStretch(start: RecordingStart, stretch: Stretch): Promise<void> {
    try {
      await store.putStretch(start, stretch).catch(async (thrown: unknown) => {
        if (!isFull(thrown) || !(await house.makeRoom())) throw thrown;
        await store.putStretch(start, stretch);
      });
      known.error = null;
    } catch (thrown) {
      known.error = toErrorInfo(thrown, 'storage-failed');
      throw thrown;
    }
    await load().catch(logFailure);
    channel.tell({ kind: 'changed' });
  }

  async function end(id: string): Promise<boolean> {
    const nowMs = clock.nowMs();
    const record = await change(id, (before) =>
      before.endedAtMs === null ? { ...before, endedAtMs: nowMs } : before,
    );
    // Deleted from now on, it is not to come again.
    if (record) entries.of(id).retainedFrom = null;
    return record !== undefined;
  }

  /** Whoever ends it waits until it has been `handed` what it is to keep. */
  function recorderOf(
    start: RecordingStart,
    handed?: (recorder: Recorder) => Promise<void>,
  ): Recorder {
    const entry = entries.of(start.id);
    const recorder = createRecorder({
      start,
      packer,
      journal,
      log,
      keep: keepStretch,
      onEnded: () => house.ended(start.id),
    });
    const whole = handed?.(recorder).catch(logFailure);
    const own: Recorder = {
      ...recorder,
      end() {
        const ended = whole?.then(recorder.end) ?? recorder.end();
        entry.retaining = ended.finally(() => {
          Object.assign(entry, { retaining: null, recorder: null });
        });
        return entry.retaining;
      },
    };
    Object.assign(entry, { retainedFrom: start, recorder: own, isRecordedHere: true });
    return own;
  }

  function logFailure(thrown: unknown): undefined {
    log.error(
      'What is kept of a recording could not be written',
      toErrorInfo(thrown, 'storage-failed'),
    );
  }

  /** Hands a recorder what the journal has and the store has not. */
  async function append(recorder: Recorder, { header, parts }: JournalRecording): Promise<void> {
    const kept = await store.ranges(header.dictationId);
    for (const { startSample, pcm } of unkeptSound(parts, kept)) {
      recorder.append(startSample, pcm);
    }
  }

  /** A header that was lost does not say when. */
  function startOf({ dictationId: id, startedAtMs, options }: JournalHeader): RecordingStart {
    return { id, startedAtMs: startedAtMs || clock.nowMs(), options };
  }

  const isKeeping = (): boolean => known.keeping.keepRecordings > 0;

  function recovering(header: JournalHeader): void {
    if (!isKeeping()) return;
    entries.of(header.dictationId).retainedFrom = startOf(header);
    journal.keepFrom(header.dictationId, 0);
  }

  async function rewrite(id: string, options: Partial<TranscriptionOptions>): Promise<boolean> {
    const atMs = clock.nowMs();
    let isAsked = false;
    const record = await change(id, (before) => {
      isAsked = before.endedAtMs !== null && !before.isInBin && before.durationSamples > 0;
      if (!isAsked) return before;
      const number = before.asks + 1;
      const asked = { number, atMs, options: { ...before.options, ...options } };
      return { ...before, asks: number, asked };
    });
    if (!record || !isAsked) {
      log.error('A recording was to be written down again that cannot be', id);
      return false;
    }
    await rewriter.send(record);
    // Earlier requests are over.
    await rewriter.look();
    return true;
  }

  /** Also one that is still being recorded, if it is `over` by what is known elsewhere. */
  async function putInBin(
    id: string,
    { isOver = false, isUnsent = known.isWaiting(id) } = {},
  ): Promise<void> {
    await entries.of(id).retaining;
    const items = queue.cache.list().filter(({ dictationId }) => dictationId === id);
    await bin.open();
    const record = await change(id, (before) => {
      if (before.isInBin || (before.endedAtMs === null && !isOver)) return before;
      const endedAtMs = before.endedAtMs ?? clock.nowMs();
      return { ...before, endedAtMs, isInBin: true, binnedBy: bin.name, isUnsent };
    });
    if (!record?.isInBin) return;
    for (const item of items) await queue.discard(item.id);
    // A request for another text of it is over, too.
    await rewriter.look();
  }

  const isLeft = (id: string): boolean =>
    entries.of(id).unencodable !== null ||
    queue.cache.list().some(({ dictationId }) => dictationId === id);

  async function binRest(): Promise<void> {
    for (const [id, entry] of entries.all()) {
      if (!entry.isBinOwed) continue;
      // Nobody has thrown away what a recovery has brought of it meanwhile.
      if (!isLeft(id)) await putInBin(id, { isUnsent: true });
      entry.isBinOwed = false;
    }
  }

  /**
   * The sound of sessions that are over is here whole: what is deleted now can be had back whole.
   */
  async function keptWhole(spared: ReadonlySet<string>): Promise<void> {
    const over = [...entries.all()].filter(([id]) => !spared.has(id));
    await Promise.all(over.map(([, { recorder }]) => recorder?.end()));
  }

  async function deleteOver(id: string): Promise<void> {
    for (const item of queue.cache.list())
      if (item.dictationId === id) await queue.discard(item.id);
    await known.remove(id, () => true);
  }

  async function hear(message: RecordingsMessage): Promise<void> {
    if (message.kind === 'deleted') {
      // A tab that was suspended hears of it late: of what is being recorded by then it says
      // nothing.
      const ending = [...entries.all()].map(([id, { retaining }]) => [id, retaining] as const);
      const recovering = [...entries.all()].map(
        ([id, entry]) => [id, entry.recovering?.catch(() => {}) ?? null] as const,
      );
      for (const [id, ended] of [...ending, ...recovering]) {
        if (ended === null || message.spared.has(id)) continue;
        const start = known.get(id) ?? entries.of(id).retainedFrom;
        if (start && isSince(start.startedAtMs, message.askedAtMs, clock)) continue;
        await ended;
        await deleteOver(id);
      }
    }
    await load();
  }

  channel.listen((message) => void hear(message).catch(logFailure));

  return {
    /** Keeps the sound of a session that begins here. */
    begin: (start: RecordingStart): Recorder => (isKeeping() ? recorderOf(start) : NO_RECORDER),
    /** Goes on keeping the sound of a session whose worker died. Never rejects. */
    async resume(start: RecordingStart): Promise<Recorder> {
      if (!isKeeping()) return NO_RECORDER;
      const recorder = recorderOf(start);
      const written = await journal.read(start.id).catch(logFailure);
      if (written) await append(recorder, written).catch(logFailure);
      return recorder;
    },
    /**
     * A dead session is brought into the queue: its journal gives up no sound before `complete`.
     */
    recovering,
    /**
     * A dead session's texts are noted before it is gone on with: they need the beginning of its
     * recording, which its journal has. Never rejects.
     */
    async expected(id: string): Promise<void> {
      if (entries.of(id).retainedFrom) return;
      const all = await journal.list().catch(logFailure);
      const header = all?.find(({ dictationId }) => dictationId === id);
      if (header) recovering(header);
    },
    /** Keeps what a dead session's journal has beyond what is kept. Never rejects. */
    async complete(id: string): Promise<void> {
      const written = isKeeping() ? await journal.read(id).catch(logFailure) : undefined;
      if (!written) return house.ended(id);
      await recorderOf(startOf(written.header), (recorder) => append(recorder, written)).end();
    },
    has: (id: string): boolean => known.get(id) !== undefined,
    /**
     * The beginning of a session's recording if nothing of it is stored yet; null if it is not
     * kept.
     */
    startOf: (id: string): RecordingStart | null =>
      (isKeeping() && entries.of(id).retainedFrom) || null,
    /** Texts of recordings have been stored. */
    delivered(): void {
      if (!isKeeping()) return;
      channel.tell({ kind: 'changed' });
      house.lookSoon();
    },
    /**
     * Something of a session was thrown away: when nothing more of it is there, neither waiting nor
     * to be looked at, its recording goes into the bin, whatever was delivered of it. Never
     * rejects.
     */
    async discarded(dictationId: string): Promise<void> {
      if (isLeft(dictationId)) return;
      entries.of(dictationId).isBinOwed = true;
      await binRest().catch((thrown: unknown) => {
        logFailure(thrown);
        house.lookSoon();
      });
    },
    /** The queue has changed. */
    queueChanged(): void {
      known.publish();
      void rewriter.look();
    },
    /** Learns what is stored, clears away what is over, and sends what was asked for. */
    look: house.look,
    async transcripts(id: string): Promise<readonly Transcript[]> {
      const record = await store.get(id);
      if (!record) return [];
      const { texts, rewritten } = record;
      if (!texts.some(({ times }) => times) && !rewritten.some(({ heardTimes }) => heardTimes)) {
        return transcriptsOf(record);
      }
      const wordTimes = await import('../upload/word-times.ts').catch(() => null);
      const plain = transcriptsOf(record);
      if (!wordTimes) return plain;
      return wordTimes.timedTranscripts(plain, standingChunks(texts), await store.ranges(id));
    },
    async audio(id: string): Promise<AudioFile | null> {
      const stretches = await store.stretches(id);
      if (stretches.length === 0) return null;
      const { type, bytes } = await packer.join(stretches.map(({ packets }) => packets));
      return { type, bytes };
    },
    transcribeAgain: rewrite,
    /**
     * Adds the newest text as the rules make it now, if that is another; false if there is none.
     */
    async applyRules(id: string): Promise<boolean> {
      const record = await store.get(id);
      const all = record ? transcriptsOf(record) : [];
      const newest = all.at(-1);
      if (!record || !newest) return false;
      const { heard = newest.text, needsReview } = newest;
      const language = languageOf(record.options);
      // Piece by piece, where it is known what was said by itself: of what the rules were applied to.
      const isFirst = all.findLast(({ by }) => by.kind !== 'rules')?.by.kind === 'first';
      const pieces: readonly Piece[] = isFirst ? record.texts : [{ number: 0, text: heard }];
      const texts = await Promise.all(
        pieces.map(async ({ number, text, heard = text, isLive }: Piece) => {
          return [number, (await ports.rules.apply(heard, language, isLive)).text] as const;
        }),
      );
      const text = joinTranscripts(new Map(texts), textFlowOf(pieces));
      if (text === newest.text) return true;
      const by = { kind: 'rules' } as const;
      const words = { text, ...(text !== heard && { heard }), needsReview };
      const transcript = { ...words, atMs: clock.nowMs(), by };
      const changed = await change(id, (before) => ({
        ...before,
        rewritten: [...before.rewritten, transcript],
      }));
      return changed !== undefined;
    },
    /** Nothing happens to one that is being recorded. */
    delete: (id: string): Promise<void> => putInBin(id),
    /**
     * All but those spared or begun since `askedAtMs`, and those that somebody keeps a place for. Of
     * `unsent` there were words that no text has.
     */
    async deleteAll(
      spared: ReadonlySet<string>,
      askedAtMs: number,
      unsent: ReadonlySet<string> = new Set(),
    ): Promise<void> {
      const isHere = (id: string): boolean => entries.of(id).isRecordedHere;
      const before = new Set([...entries.all()].filter(([id]) => isHere(id)).map(([id]) => id));
      await keptWhole(spared);
      channel.tell({ kind: 'deleted', spared, askedAtMs });
      await load();
      for (const { id, startedAtMs, endedAtMs } of known.all()) {
        if (spared.has(id) || isSince(startedAtMs, askedAtMs, clock)) continue;
        if (await ports.isPlaceHeld(id)) continue;
        if (isHere(id) && !before.has(id)) continue;
        // Another tab still keeps its sound, and has just been told.
        if (endedAtMs === null && !isHere(id) && !(await locks.isOrphan(id))) continue;
        const isUnsent = unsent.has(id) || known.isWaiting(id);
        await putInBin(id, { isOver: true, isUnsent });
      }
    },
    async undoDelete(id: string | null): Promise<void> {
      const binned = known
        .all()
        .filter((record) => bin.isHere(record) && (id ?? record.id) === record.id);
      for (const { id: binnedId, isUnsent } of binned) {
        const record = await change(binnedId, (before) => ({
          ...before,
          isInBin: false,
          binnedBy: null,
          isUnsent: false,
        }));
        if (record && isUnsent) await rewrite(binnedId, {});
        else if (record?.asked) await rewriter.send(record);
      }
    },
    /** Its page goes: nothing can be had back any more. */
    emptyBin: bin.empty,
    makeRoom: house.makeRoom,
    keep(given: Keeping): void {
      known.keeping = given;
      house.lookSoon();
    },
  };
}
