import { FRAME_SAMPLES } from '../audio/audio-format.ts';
import { rmsDbfs, SILENCE_DBFS } from '../audio/level.ts';
import { DikteraError } from '../errors.ts';
import type { BareEngine, SpeechEngine } from './speech-engine.ts';

/**
 * The second pass hears quiet sound louder: all but its few loudest recent frames come to -25 dBFS,
 * by at most 20 dB. The model knows speech of -20 to -30 dBFS best; at -45 it takes some voices for
 * noise, whatever its state.
 */
const HEARD_AT_DBFS = -25;
const MOST_GAIN_DB = 20;

/**
 * The second pass begins with the last 3.8 s. After any history, quiet speech is found from 0.4 to
 * 6 s; but 1.9 s and 2.9 s forget a melody, and take its next note of 0.5 to 2 s for speech.
 */
export const RECENT_FRAMES = 40;
/**
 * The ninth loudest recent frame counts as the loudness. Up to eight may be key clicks, a breath or
 * a cough, beside which quiet speech would get no gain.
 */
const LOUD_PLACE = 8;

/**
 * The first pass is unsure from this probability on. A stale state gives speech under noise as
 * little as 0.002. In sound without speech this costs the second pass's inference for nearly every
 * frame, and starts next to nothing.
 */
export const UNSURE_PROBABILITY = 0.001;
/** From the recording preset's threshold on, the first pass needs no second. */
const SURE_PROBABILITY = 0.8;
/**
 * After two seconds below `UNSURE_PROBABILITY` the second pass rests. Not sooner: a second pass that
 * has heard one sentence hears the next one better than a new one.
 */
const CALM_FRAMES = 20;
/**
 * After this many frames in which neither pass came near a half there was no speech: a second pass
 * that is as old as its memory starts afresh.
 */
const WORDLESS_FRAMES = 10;
const NEAR_SPEECH_PROBABILITY = 0.5;

/**
 * Silero without its weakness for pauses and for quiet voices. Its state goes stale in silence:
 * after some seconds of quiet, noise or key clicks it gives quiet speech 0.01 to 0.4. Therefore the
 * model makes two passes. The first hears everything, from the session's start. Where it is unsure,
 * a second one starts afresh, hears the last 3.8 s of sound again, louder where it was quiet, and
 * follows for as long as the first stays unsure. A frame's probability is then that not both are
 * wrong, without any condition: rules that kept the second pass from held tones and far babble cost
 * speech under loud noise.
 *
 * Resetting the state in quiet would not do: a cold state misses the word that begins right after
 * it, and a state that has forgotten a melody takes its next note for speech. The first pass
 * remembers the melody and is sure. Figures: `npm run bench -- gate`.
 *
 * Takes the engine over: `dispose` frees both passes. Answers at once where the engine does.
 */
export function createSteadyEngine(first: BareEngine): SpeechEngine {
  const second = first.twin();
  const schedule = createPassSchedule();
  const recent = createRecentFrames();
  const louder = new Float32Array(FRAME_SAMPLES);
  /** The second pass's sound is multiplied by this, from where it began on. */
  let gain = 1;
  /** Counts the resets: an answer from before one is not gone on with after it. */
  let era = 0;
  let isInferring = false;

  /** Both passes' probability; `probability` is the first one's. */
  function withSecondPass(probability: number, levelDbfs: number): number | Promise<number> {
    if (isSilent(levelDbfs)) return probability;
    switch (schedule.next(probability)) {
      case 'rest':
        return probability;
      case 'follow':
        return eitherOf(probability, inferSecond(recent.count - 1));
      case 'begin':
        second.reset();
        gain = gainFor(recent.loudDbfs);
        return eitherOf(probability, inferRecent(0));
    }
  }

  function inferSecond(index: number): number | Promise<number> {
    const frame = recent.at(index);
    for (let n = 0; n < FRAME_SAMPLES; n++) louder[n] = clip(gain * (frame[n] ?? 0));
    return second.infer(louder);
  }

  /**
   * The second pass's answer for the last of the recent frames, after all from `from` on; 0 after a
   * reset.
   */
  function inferRecent(from: number): number | Promise<number> {
    const startedEra = era;
    let answer: number | Promise<number> = 0;
    for (let index = from; index < recent.count && era === startedEra; index++) {
      answer = inferSecond(index);
      if (typeof answer !== 'number' && index + 1 < recent.count) {
        return answer.then(() => (era === startedEra ? inferRecent(index + 1) : 0));
      }
    }
    return answer;
  }

  function settle(probability: number): number {
    schedule.settled(probability);
    return probability;
  }

  /** For an engine that answers later: one frame at a time, as `SpeechEngine` says. */
  async function inferLater(
    levelDbfs: number,
    firstAnswer: number | Promise<number>,
    bothAnswer?: Promise<number>,
  ): Promise<number> {
    const startedEra = era;
    isInferring = true;
    try {
      const probability = await firstAnswer;
      if (era !== startedEra) return probability;
      const both = await (bothAnswer ?? withSecondPass(probability, levelDbfs));
      return era === startedEra ? settle(both) : probability;
    } finally {
      isInferring = false;
    }
  }

  return {
    kind: first.kind,
    infer(frame) {
      if (isInferring) {
        const message = 'The frame before is still being inferred';
        return Promise.reject(new DikteraError('engine-failed', message));
      }
      const levelDbfs = rmsDbfs(frame);
      if (!isSilent(levelDbfs)) recent.push(frame, levelDbfs);
      const answer = first.infer(frame);
      if (typeof answer !== 'number') return inferLater(levelDbfs, answer);
      const both = withSecondPass(answer, levelDbfs);
      return typeof both === 'number' ? settle(both) : inferLater(levelDbfs, answer, both);
    },
    reset() {
      era++;
      first.reset();
      schedule.reset();
      recent.clear();
    },
    async dispose() {
      await Promise.all([first.dispose(), second.dispose()]);
    },
  };
}

/**
 * Digital silence is for the first pass alone. Its state does not go stale there, and a second pass
 * that has heard silence in place of the melody before it takes the next note for speech.
 */
function isSilent(levelDbfs: number): boolean {
  return levelDbfs <= SILENCE_DBFS;
}

function gainFor(loudDbfs: number): number {
  const gainDb = Math.min(MOST_GAIN_DB, Math.max(0, HEARD_AT_DBFS - loudDbfs));
  return 10 ** (gainDb / 20);
}

/** A click among quiet speech gets the same gain, and stays within a sample's range. */
function clip(sample: number): number {
  return Math.max(-1, Math.min(1, sample));
}

/**
 * Two witnesses who each say 0.6 are believed more than one: the probability that not both are
 * wrong. A quiet voice is often near the threshold in both passes, and over it in neither.
 */
function eitherOf(a: number, b: number | Promise<number>): number | Promise<number> {
  const either = (later: number) => 1 - (1 - a) * (1 - later);
  return typeof b === 'number' ? either(b) : b.then(either);
}

/**
 * The second pass's task for the frame that the first has just inferred: nothing, that frame, or a
 * new beginning with all recent frames, that one included.
 */
type PassTask = 'rest' | 'follow' | 'begin';

/** Decides when the second pass begins and rests. The same row of answers gives the same tasks. */
function createPassSchedule() {
  /** Frames since the second pass began; null while it rests. */
  let ageFrames: number | null = null;
  let calmFrames = 0;
  let wordlessFrames = WORDLESS_FRAMES;

  return {
    /** The task for a frame, by the first pass's probability for it, 0 to 1. */
    next(probability: number): PassTask {
      const isUnsure = probability >= UNSURE_PROBABILITY;
      calmFrames = isUnsure ? 0 : calmFrames + 1;
      if (ageFrames === null) {
        if (!isUnsure || probability >= SURE_PROBABILITY) return 'rest';
        ageFrames = 0;
        return 'begin';
      }
      if (calmFrames >= CALM_FRAMES) {
        ageFrames = null;
        return 'rest';
      }
      ageFrames++;
      const isOld = ageFrames >= RECENT_FRAMES && wordlessFrames >= WORDLESS_FRAMES;
      if (!isOld || !isUnsure) return 'follow';
      ageFrames = 0;
      return 'begin';
    },
    /** Takes both passes' probability for that frame. */
    settled(probability: number) {
      wordlessFrames = probability >= NEAR_SPEECH_PROBABILITY ? 0 : wordlessFrames + 1;
    },
    /** Forgets the past. */
    reset() {
      ageFrames = null;
      calmFrames = 0;
      wordlessFrames = WORDLESS_FRAMES;
    },
  };
}

/** The last frames, oldest first. Copies, since a caller may fill a frame's memory again. */
function createRecentFrames() {
  const kept = Array.from({ length: RECENT_FRAMES }, () => ({
    frame: new Float32Array(FRAME_SAMPLES),
    levelDbfs: 0,
  }));
  let pushed = 0;

  function place(index: number) {
    const found = kept[index % RECENT_FRAMES];
    if (!found) throw new RangeError(`There is no frame ${index}`);
    return found;
  }

  const oldest = (): number => Math.max(0, pushed - RECENT_FRAMES);
  const count = (): number => pushed - oldest();

  return {
    push(frame: Float32Array, levelDbfs: number) {
      const into = place(pushed++);
      into.levelDbfs = levelDbfs;
      into.frame.set(frame.subarray(0, FRAME_SAMPLES));
      into.frame.fill(0, Math.min(frame.length, FRAME_SAMPLES));
    },
    /** `index` counts from the oldest. */
    at: (index: number): Float32Array => place(oldest() + index).frame,
    get count(): number {
      return count();
    },
    /** The level of the loudest but for a few that stand out; -Infinity when there are none. */
    get loudDbfs(): number {
      const levels = Array.from({ length: count() }, (_, i) => place(oldest() + i).levelDbfs);
      const sorted = levels.sort((a, b) => b - a);
      return sorted[Math.floor((LOUD_PLACE * count()) / RECENT_FRAMES)] ?? Number.NEGATIVE_INFINITY;
    },
    clear() {
      pushed = 0;
    },
  };
}
