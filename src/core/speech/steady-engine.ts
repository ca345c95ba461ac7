import { FRAME_SAMPLES } from '../audio/audio-format.ts';
import { rmsDbfs, SILENCE_DBFS } from '../audio/level.ts';
import { DikteraError } from '../errors.ts';
import type { BareEngine, SpeechEngine } from './speech-engine.ts';

/**
 * Quiet sound is made so loud for the fresh hearing: all but its few loudest recent frames come to
 * -25 dBFS, by at most 20 dB. The models know speech of -20 to -30 dBFS best; at -45 they take some
 * voices for noise, whatever their state.
 */
const HEARD_AT_DBFS = -25;
const MOST_GAIN_DB = 20;

/**
 * Silero without its weakness for pauses and for quiet voices. Its state goes stale while nobody
 * speaks: after some seconds of quiet, noise or key clicks it gives quiet speech 0.01 to 0.4. So
 * there are two hearings of the same model. The carried one hears everything, from the session's
 * start. Where it doubts, a fresh one forgets all, hears the last 3.8 s of sound again, louder
 * where it was quiet, and follows as long as there is doubt. A frame's probability then is that not
 * both are wrong, without any condition: rules that kept the fresh hearing from held tones and far
 * babble cost speech under loud noise.
 *
 * Why not simply reset the state while it is quiet: a cold state misses the word that begins right
 * after it, and a state that has forgotten a melody takes its next note for speech. The carried
 * hearing remembers the melody and does not doubt. Figures: `npm run bench -- gate`.
 *
 * Takes the engine over: `dispose` gives both hearings' memory back. Answers at once where the
 * engine does.
 */
export function createSteadyEngine(carried: BareEngine): SpeechEngine {
  const fresh = carried.twin();
  const watch = createDoubtWatch();
  const recent = createRecentFrames();
  const louder = new Float32Array(FRAME_SAMPLES);
  /** What the fresh hearing's sound is multiplied by, from where it began on. */
  let gain = 1;
  /** Counts the resets: what was being heard before one is not gone on with after it. */
  let era = 0;
  let isInferring = false;

  /** What the two hearings say together; `probability` is the carried one's. */
  function hearAgain(probability: number, levelDbfs: number): number | Promise<number> {
    if (isSilent(levelDbfs)) return probability;
    switch (watch.task(probability)) {
      case 'rest':
        return probability;
      case 'follow':
        return eitherOf(probability, hearFresh(recent.count - 1));
      case 'relisten':
        fresh.reset();
        gain = gainFor(recent.loudDbfs);
        return eitherOf(probability, relisten(0));
    }
  }

  function hearFresh(index: number): number | Promise<number> {
    const frame = recent.at(index);
    for (let n = 0; n < FRAME_SAMPLES; n++) louder[n] = clip(gain * (frame[n] ?? 0));
    return fresh.infer(louder);
  }

  /**
   * The fresh hearing's answer for the last of the recent frames, heard from one of them on; 0
   * after a reset.
   */
  function relisten(from: number): number | Promise<number> {
    const startedEra = era;
    let answer: number | Promise<number> = 0;
    for (let index = from; index < recent.count && era === startedEra; index++) {
      answer = hearFresh(index);
      if (typeof answer !== 'number' && index + 1 < recent.count) {
        return answer.then(() => (era === startedEra ? relisten(index + 1) : 0));
      }
    }
    return answer;
  }

  function settle(heard: number): number {
    watch.settled(heard);
    return heard;
  }

  /** For an engine that answers later: one frame at a time, as `SpeechEngine` says. */
  async function inferLater(
    levelDbfs: number,
    carriedAnswer: number | Promise<number>,
    freshAnswer?: Promise<number>,
  ): Promise<number> {
    const startedEra = era;
    isInferring = true;
    try {
      const probability = await carriedAnswer;
      if (era !== startedEra) return probability;
      const heard = await (freshAnswer ?? hearAgain(probability, levelDbfs));
      return era === startedEra ? settle(heard) : probability;
    } finally {
      isInferring = false;
    }
  }

  return {
    kind: carried.kind,
    infer(frame) {
      if (isInferring) {
        const message = 'The frame before is still being inferred';
        return Promise.reject(new DikteraError('engine-failed', message));
      }
      const levelDbfs = rmsDbfs(frame);
      if (!isSilent(levelDbfs)) recent.push(frame, levelDbfs);
      const answer = carried.infer(frame);
      if (typeof answer !== 'number') return inferLater(levelDbfs, answer);
      const heard = hearAgain(answer, levelDbfs);
      return typeof heard === 'number' ? settle(heard) : inferLater(levelDbfs, answer, heard);
    },
    reset() {
      era++;
      carried.reset();
      watch.reset();
      recent.clear();
    },
    async dispose() {
      await Promise.all([carried.dispose(), fresh.dispose()]);
    },
  };
}

/**
 * Digital silence is for the carried hearing alone: it does not go stale there, and a fresh one
 * that has heard it in place of the melody before it takes the next note for speech.
 */
function isSilent(levelDbfs: number): boolean {
  return levelDbfs <= SILENCE_DBFS;
}

function gainFor(loudDbfs: number): number {
  const gainDb = Math.min(MOST_GAIN_DB, Math.max(0, HEARD_AT_DBFS - loudDbfs));
  return 10 ** (gainDb / 20);
}

/** A click among quiet speech is made louder with it, and stays a sample's size. */
function clip(sample: number): number {
  return Math.max(-1, Math.min(1, sample));
}

/**
 * Two witnesses who each say 0.6 are believed more than one: the probability that not both are
 * wrong. A quiet voice is often near the threshold in both hearings, and over it in neither.
 */
function eitherOf(a: number, b: number | Promise<number>): number | Promise<number> {
  const either = (later: number) => 1 - (1 - a) * (1 - later);
  return typeof b === 'number' ? either(b) : b.then(either);
}

/**
 * What the fresh hearing has to do with the frame that the carried one has just inferred: nothing,
 * go on, or begin anew: forget, and hear the recent frames again, this one among them.
 */
export type FreshTask = 'rest' | 'follow' | 'relisten';

/**
 * Decides when a second hearing is asked for, and when it is let go. Pure: the same row gives the
 * same tasks.
 */
export type DoubtWatch = ReturnType<typeof createDoubtWatch>;

/**
 * From here on, though not yet sure, the carried hearing doubts. A stale state gives speech under
 * noise as little as 0.002. In sound without speech this costs the second hearing's inference for
 * nearly every frame, and starts next to nothing.
 */
export const DOUBT_PROBABILITY = 0.001;
/** The carried hearing is sure by itself: the recording preset's threshold. */
const SURE_PROBABILITY = 0.8;
/**
 * So long without doubt, about two seconds, and the second hearing is let go. Not sooner: between
 * two sentences it is better to have heard the first than to begin anew.
 */
const CALM_FRAMES = 20;
/**
 * Nobody has spoken if neither has come near a half for so long: a second hearing that has grown
 * old begins anew.
 */
const WORDLESS_FRAMES = 10;
const NEAR_SPEECH_PROBABILITY = 0.5;

export function createDoubtWatch() {
  /** Frames since the fresh hearing began anew; null while it rests. */
  let ageFrames: number | null = null;
  let calmFrames = 0;
  let wordlessFrames = WORDLESS_FRAMES;

  return {
    /** The task for a frame, by the carried hearing's probability for it, 0 to 1. */
    task(carried: number): FreshTask {
      const isDoubt = carried >= DOUBT_PROBABILITY;
      calmFrames = isDoubt ? 0 : calmFrames + 1;
      if (ageFrames === null) {
        if (!isDoubt || carried >= SURE_PROBABILITY) return 'rest';
        ageFrames = 0;
        return 'relisten';
      }
      if (calmFrames >= CALM_FRAMES) {
        ageFrames = null;
        return 'rest';
      }
      ageFrames++;
      const isOld = ageFrames >= RECENT_FRAMES && wordlessFrames >= WORDLESS_FRAMES;
      if (!isOld || !isDoubt) return 'follow';
      ageFrames = 0;
      return 'relisten';
    },
    /** What the two hearings say together of that frame. */
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

/**
 * 3.8 s. Heard at a level that the model knows, quiet speech is found after any history from 0.4 to
 * 6 s: the shorter ones forget the melody, and take the next of 0.5 to 2 s long notes for speech;
 * 1.9 s and 2.9 s did, this does not.
 */
export const RECENT_FRAMES = 40;
/**
 * The ninth loudest of all says how loud it is: eight may be key clicks, a breath or a cough,
 * beside which quiet speech would be left as it is. Fewer frames, a place nearer to the loudest.
 */
const LOUD_PLACE = 8;

/**
 * The last frames, oldest first, in memory of their own: the caller may fill a frame's memory
 * again.
 */
export type RecentFrames = ReturnType<typeof createRecentFrames>;

export function createRecentFrames() {
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
    /** Keeps a frame; its level is in dBFS. */
    push(frame: Float32Array, levelDbfs: number) {
      const into = place(pushed++);
      into.levelDbfs = levelDbfs;
      into.frame.set(frame.subarray(0, FRAME_SAMPLES));
      into.frame.fill(0, Math.min(frame.length, FRAME_SAMPLES));
    },
    /** `index` counts from the oldest that is kept. */
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
