import {
  msToSamples,
  SAMPLE_RATE_HZ,
  type SampleRange,
} from '../../src/core/audio/audio-format.ts';
import type { SoundPacker } from '../../src/core/audio/audio-types.ts';
import { findQuietPoint } from '../../src/core/audio/quiet-point.ts';
import { concatPcm16, samplesOf } from '../../src/core/audio/samples.ts';
import { toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { RecordingStart } from '../../src/core/recordings/recording-record.ts';
import type { JournalPart } from '../../src/core/session/journal.ts';
import type { Journal } from '../store/journal.ts';
import type { Stretch } from '../store/recording-store.ts';

/** Raw sound of a recording that is encoded at once: it begins and ends where it is quiet. */
type RawStretch = { readonly startSample: number; readonly samples: Float32Array };

/** A stretch is also what is sent at once when a recording is written down again. */
const MAX_STRETCH_SAMPLES = msToSamples(60_000);

/** The end of a full stretch lies in the quietest 200 ms of its last 20 s. */
const SEARCHED_SAMPLES = msToSamples(20_000);
const QUIET_SAMPLES = msToSamples(200);

/** A whole number of the codec's packets: the next stretch's first one joins it without a gap. */
const PACKET_SAMPLES = msToSamples(40);

/** Makes a cutter for a recording; nothing before `fromSample` is wanted. */
function createStretchCutter(fromSample = 0) {
  let pieces: Int16Array[] = [];
  let startSample = fromSample;
  let endSample = fromSample;

  function flush(): RawStretch | null {
    if (endSample === startSample) return null;
    const stretch = { startSample, samples: samplesOf(pieces) };
    pieces = [];
    startSample = endSample;
    return stretch;
  }

  function cutFull(): RawStretch {
    const pcm = concatPcm16(pieces);
    const latest = Math.min(pcm.length, MAX_STRETCH_SAMPLES);
    const earliest = latest - SEARCHED_SAMPLES;
    const searched = samplesOf([pcm.subarray(earliest, latest)]);
    const quiet = earliest + findQuietPoint(searched, 0, searched.length, QUIET_SAMPLES);
    const length = quiet - (quiet % PACKET_SAMPLES);
    const stretch = { startSample, samples: samplesOf([pcm.subarray(0, length)]) };
    pieces = [pcm.slice(length)];
    startSample += length;
    return stretch;
  }

  return {
    /**
     * Takes 16-bit PCM in the order of time, and keeps it: it must not be written to again. Samples
     * taken before are left out; missing samples before it end a stretch. Gives the samples to
     * encode now, usually none.
     */
    take(atSample: number, pcm: Int16Array): readonly RawStretch[] {
      const stretches: RawStretch[] = [];
      const wanted = pcm.subarray(Math.max(0, endSample - atSample));
      if (wanted.length === 0) return stretches;
      if (atSample > endSample) {
        const before = flush();
        if (before) stretches.push(before);
        startSample = atSample;
      }
      pieces.push(wanted);
      endSample = atSample + pcm.length;
      while (endSample - startSample >= MAX_STRETCH_SAMPLES) stretches.push(cutFull());
      return stretches;
    },
    /** All that is left; null if nothing is. */
    flush,
  };
}

type RecorderPorts = {
  readonly start: RecordingStart;
  readonly packer: Pick<SoundPacker, 'pack'>;
  readonly journal: Pick<Journal, 'keepFrom'>;
  readonly log: Logger;
  /** Rejects with `storage-failed`. */
  readonly keep: (start: RecordingStart, stretch: Stretch) => Promise<void>;
  /** All of its sound is kept, as far as it can be. Never rejects. */
  readonly onEnded: () => Promise<void>;
};

/**
 * Keeps all sound of one recording, encoded a stretch at a time, beside what is done for its words:
 * nothing waits for it, and what cannot be kept costs no word. The journal holds the raw audio
 * until its stretch is stored or given up.
 */
export type Recorder = ReturnType<typeof createRecorder>;

/** Keeps nothing. */
export const NO_RECORDER: Recorder = { append() {}, async stop() {}, async end() {} };

/** Makes a recorder; from now on the journal gives up nothing that is not kept. */
export function createRecorder(ports: RecorderPorts) {
  const { start, packer, journal, log } = ports;
  const cutter = createStretchCutter();
  let isOver = false;
  let ended: Promise<void> | undefined;
  /** One after the other: encoding takes a second at most for a minute. */
  let kept: Promise<void> = Promise.resolve();
  journal.keepFrom(start.id, 0);

  async function keep({ startSample, samples }: RawStretch): Promise<void> {
    const endSample = startSample + samples.length;
    try {
      const packets = await packer.pack(samples);
      await ports.keep(start, { startSample, endSample, packets });
    } catch (thrown) {
      log.error('Sound of a recording is not kept', toErrorInfo(thrown, 'encoding-failed'));
    }
    journal.keepFrom(start.id, endSample);
  }

  function keepLater(stretch: RawStretch): void {
    kept = kept.then(() => keep(stretch));
  }

  async function endNow(): Promise<void> {
    const rest = cutter.flush();
    if (rest) keepLater(rest);
    await kept;
    await ports.onEnded();
    journal.keepFrom(start.id, Number.POSITIVE_INFINITY);
  }

  return {
    /** Takes sound in the order of time, and keeps it: it must not be written to again. */
    append(startSample: number, pcm: Int16Array) {
      if (!isOver) for (const stretch of cutter.take(startSample, pcm)) keepLater(stretch);
    },
    /** Nothing more is kept here: the rest is in the journal, for whoever completes it. */
    async stop(): Promise<void> {
      isOver = true;
      await kept;
    },
    /** Keeps the rest: the recording is whole. Never rejects; asked twice, it is done once. */
    end(): Promise<void> {
      if (isOver && !ended) return kept;
      isOver = true;
      ended ??= endNow();
      return ended;
    },
  };
}

/** Handed on at a time. */
const PIECE_SAMPLES = SAMPLE_RATE_HZ;

/** The sound in a journal that is not kept yet, piece by piece. `kept` is in the order of time. */
export function* unkeptSound(
  parts: readonly JournalPart[],
  kept: readonly SampleRange[],
): Generator<{ readonly startSample: number; readonly pcm: Int16Array }> {
  for (const part of parts) {
    if (part.kind !== 'audio') continue;
    const partEnd = part.startSample + part.pcm.length;
    let position = part.startSample;
    for (const range of [...kept, { startSample: partEnd, endSample: partEnd }]) {
      while (position < Math.min(range.startSample, partEnd)) {
        const endSample = Math.min(position + PIECE_SAMPLES, range.startSample, partEnd);
        const [from, to] = [position - part.startSample, endSample - part.startSample];
        yield { startSample: position, pcm: part.pcm.subarray(from, to) };
        position = endSample;
      }
      position = Math.max(position, range.endSample);
    }
  }
}
