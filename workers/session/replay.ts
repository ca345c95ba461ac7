import { sleep } from '../../src/core/async.ts';
import {
  FRAME_SAMPLES,
  overlapSamples,
  rangeSamples,
  type SampleRange,
} from '../../src/core/audio/audio-format.ts';
import type { Clock } from '../../src/core/clock.ts';
import { endOf, type JournalPart, type JournalRecording } from '../../src/core/session/journal.ts';
import type { SampleAccounts } from './sample-accounts.ts';
import type { SpeechPipeline } from './speech-pipeline.ts';

/** A replay has all the time it needs. */
const PATIENT_TURN = { isGivenUp: false };

/**
 * So often others have their turn: an engine answers at once, and the page takes a worker that is
 * silent for 10 s for dead. An hour of audio takes longer on a weak machine, and would again in the
 * next one.
 */
const FRAMES_PER_TURN = 100;

/** What the journal holds of a session, inferred and cut again, and entered in the account. */
export type Replay = ReturnType<typeof createReplay>;

/** Makes a session's replay. */
export function createReplay(dictationId: string, accounts: SampleAccounts, clock: Clock) {
  const notSilent: SampleRange[] = [];
  let framesReplayed = 0;

  function enterHole(hole: Extract<JournalPart, { kind: 'hole' }>): void {
    // The pipeline says once more what was dropped as silence.
    if (hole.cause !== 'silent') notSilent.push(hole);
    // A chunk's samples are in the account with it.
    if (hole.cause !== 'chunk') accounts.captured(dictationId, rangeSamples(hole));
    if (hole.cause === 'unreadable') accounts.unreadable(dictationId, rangeSamples(hole));
  }

  async function replayPart(
    part: JournalPart,
    pipeline: SpeechPipeline,
    isWanted: () => boolean,
  ): Promise<void> {
    if (!isWanted()) return;
    if (part.kind === 'hole') {
      enterHole(part);
      const atSample = part.endSample;
      await pipeline.take({ kind: 'gap', atSample, lostInputFrames: 0 }, PATIENT_TURN);
      return;
    }
    if (part.kind !== 'audio') {
      await pipeline.take({ kind: 'paused', atSample: part.atSample }, PATIENT_TURN);
      return;
    }
    for (let offset = 0; offset < part.pcm.length && isWanted(); offset += FRAME_SAMPLES) {
      const pcm = part.pcm.subarray(offset, offset + FRAME_SAMPLES);
      const startSample = part.startSample + offset;
      accounts.captured(dictationId, pcm.length);
      await pipeline.take({ kind: 'frame', startSample, pcm }, PATIENT_TURN);
      framesReplayed += 1;
      if (framesReplayed % FRAMES_PER_TURN === 0) await sleep(clock, 0);
    }
  }

  return {
    async of(
      parts: readonly JournalPart[],
      pipeline: SpeechPipeline,
      isWanted: () => boolean = () => true,
    ): Promise<void> {
      for (const part of parts) await replayPart(part, pipeline, isWanted);
    },
    /** The pipeline's `onSilence`: what could not be read, or is in a chunk, is no silence. */
    silent(range: SampleRange) {
      const others = notSilent.reduce((sum, hole) => sum + overlapSamples(range, hole), 0);
      accounts.silent(dictationId, rangeSamples(range) - others);
    },
  };
}

/**
 * A journal's audio behind its cut, and where that, or a chunk behind it, ends: what lies beyond, marks too, is to be had
 * again.
 */
export function writtenAudio({ cut, parts }: Pick<JournalRecording, 'cut' | 'parts'>): {
  readonly parts: readonly JournalPart[];
  readonly endSample: number;
} {
  const isKnown = (part: JournalPart) =>
    part.kind === 'audio' || (part.kind === 'hole' && part.cause === 'chunk');
  const lastIndex = parts.findLastIndex(isKnown);
  const last = parts[lastIndex];
  if (!last) return { parts: [], endSample: cut.cutUpToSample };
  return { parts: parts.slice(0, lastIndex + 1), endSample: endOf(last) };
}
