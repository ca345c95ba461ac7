import { FRAME_SAMPLES, samplesToMs } from '../../../src/core/audio/audio-format.ts';
import type { EncodedAudio, SoundPacker } from '../../../src/core/audio/audio-types.ts';
import { toPcm16 } from '../../../src/core/audio/samples.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../../src/core/options/dictation-options.ts';
import { browserClock } from '../../../src/platform/browser-clock.ts';
import { createRecorder, NO_RECORDER } from '../../../workers/recordings/recorder.ts';
import { createChunkStore } from '../../../workers/store/chunk-store.ts';
import { createDatabase, type Database } from '../../../workers/store/database.ts';
import { createJournal } from '../../../workers/store/journal.ts';
import { createRecordingStore } from '../../../workers/store/recording-store.ts';
import { headerOf } from '../../../workers/store/records.ts';

/** What a recording is stored with. */
export type Keeping = {
  /** As today: what must outlive a power cut waits for the disk. Else nothing does. */
  readonly isStrict: boolean;
  /** Its sound is kept whole, as with `keepRecordings` above 0. */
  readonly isKept: boolean;
};

/** What so many minutes were written with. */
export type Written = { readonly writes: number; readonly bytes: number };

const ID = 'bench';

/**
 * Stores minutes of sound as a dictation does: two frames a write, a chunk and its cut a minute, in
 * the end no journal. As fast as it goes, with a clock that says how much was spoken.
 */
export async function keepMinutes(
  { isStrict, isKept }: Keeping,
  {
    minute,
    minutes,
    chunk,
    packer,
  }: {
    readonly minute: Float32Array;
    readonly minutes: number;
    /** A minute, encoded before. */
    readonly chunk: EncodedAudio;
    readonly packer: SoundPacker;
  },
): Promise<Written> {
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, after: () => () => {} };
  const databaseName = `bench-${crypto.randomUUID()}`;
  const { database, written } = counted(
    createDatabase({ clock: browserClock, databaseName }),
    isStrict,
  );
  const journal = createJournal({ database, clock, onFailure: console.error });
  const queue = createChunkStore(database, journal);
  const { putStretch } = createRecordingStore(database);
  const options = DEFAULT_SESSION_OPTIONS;
  const start = { id: ID, startedAtMs: 0, options };
  const onEnded = async () => {};
  const recorder = isKept
    ? createRecorder({ start, packer, journal, log: console, keep: putStretch, onEnded })
    : NO_RECORDER;
  await journal.begin(headerOf(ID, undefined));
  const frames = Math.floor(minute.length / FRAME_SAMPLES);
  const minutePcm = toPcm16(minute);
  for (let frame = 0; frame < frames * minutes; frame += 1) {
    const startSample = frame * FRAME_SAMPLES;
    const within = startSample % (frames * FRAME_SAMPLES);
    const pcm = minutePcm.slice(within, within + FRAME_SAMPLES);
    journal.append(ID, startSample, pcm);
    recorder.append(startSample, pcm);
    nowMs = samplesToMs(startSample + FRAME_SAMPLES);
    if (frame % 2 === 1) await journal.flush(ID);
    if (frame % frames < frames - 1) continue;
    const number = (frame + 1) / frames - 1;
    const state = { kind: 'pending', nextAttemptAtMs: 0, lastError: null } as const;
    const counts = { rounds: 0, asks: 0, speechSamples: minute.length, createdAtMs: 0 };
    const { durationSamples } = chunk;
    const head = { id: `${ID}:${number}`, dictationId: ID, number, part: '', options, state };
    const cut = {
      dictationId: ID,
      nextChunkNumber: number + 1,
      cutUpToSample: startSample + FRAME_SAMPLES,
      isInSpeech: false,
    };
    await queue.put({ ...head, ...counts, durationSamples, audio: chunk }, cut);
  }
  await recorder.end();
  await journal.remove(ID);
  await journal.dispose();
  database.close();
  indexedDB.deleteDatabase(databaseName);
  return written;
}

/** Counts what is written, and has nothing wait for the disk if it is not to. */
function counted(
  database: Database,
  isStrict: boolean,
): { readonly database: Database; readonly written: Written } {
  const written = { writes: 0, bytes: 0 };
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (value, key) {
    const bytes = value instanceof ArrayBuffer ? value : Object(value).bytes;
    if (bytes instanceof ArrayBuffer) written.bytes += bytes.byteLength;
    return put.call(this, value, key);
  };
  return {
    written,
    database: {
      ...database,
      write(names, durability, work) {
        written.writes += 1;
        return database.write(names, isStrict ? durability : 'relaxed', work);
      },
      close() {
        IDBObjectStore.prototype.put = put;
        database.close();
      },
    },
  };
}
