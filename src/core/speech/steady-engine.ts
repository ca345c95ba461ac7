import { FRAME_SAMPLES } from '../audio/audio-format.ts';
import { rmsDbfs, SILENCE_DBFS } from '../audio/level.ts';
import { DikteraError } from '../errors.ts';
import { createDoubtWatch } from './doubt-watch.ts';
import { createRecentFrames, RECENT_FRAMES } from './recent-frames.ts';
import type { BareEngine, SpeechEngine } from './speech-engine.ts';

/**
 * Quiet sound is made so loud for the fresh hearing: all but its few loudest recent frames come to
 * -25 dBFS, by at most 20 dB. The models know speech of -20 to -30 dBFS best; at -45 they take some
 * voices for noise, whatever their state.
 */
const HEARD_AT_DBFS = -25;
const MOST_GAIN_DB = 20;
/**
 * What the fresh hearing says counts where something stands out from its background so far. Speech
 * whose mean is 10 dB above the noise does, syllable by syllable. Many far voices do not: made
 * louder they would be speech.
 */
const LEAST_RISE_DB = 12;
/**
 * Less at a recording's beginning, while its quietest moments may not have been heard yet: a voice
 * 10 dB above the noise that speaks at once would be lost.
 */
const LEAST_RISE_EARLY_DB = 10;
/**
 * And where it is louder or quieter than the frame before: syllables are, a sung or played tone
 * that is held is not. It takes nothing from speech, not even 2 dB do.
 */
const LEAST_CHANGE_DB = 1;
/**
 * Below this gain, 6 dB, the sound is as loud as the models know it, and a carried hearing that is
 * awake is believed alone: sung tones keep v4 awake, a fresh v4 has forgotten the melody.
 */
const QUIET_GAIN = 2;

/**
 * Silero without its weakness for pauses and for quiet voices. Its state goes stale while nobody
 * speaks: after some seconds of quiet, noise or key clicks it gives quiet speech 0.01 to 0.4. So
 * there are two hearings of the same model. The carried one hears everything, from the session's
 * start. Where it doubts, a fresh one forgets all, hears the last 3.8 s of sound again, louder
 * where it was quiet, and follows as long as there is doubt. Where the sound stands out from what
 * is around and changes, and is quiet or the carried hearing stale, a frame's probability is that
 * not both are wrong.
 *
 * Why not simply reset the state while it is quiet: a cold state misses the word that begins right
 * after it, and a state that has forgotten a melody takes its next note for speech. The carried
 * hearing remembers the melody and does not doubt. Figures: `npm run bench:gate`.
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
    if (isSilent(levelDbfs)) {
      watch.passSilence();
      return probability;
    }
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

  function settle(probability: number, heard: number): number {
    watch.settled(heard);
    if (heard === probability) return probability;
    return freshCounts() ? heard : probability;
  }

  function freshCounts(): boolean {
    if (gain < QUIET_GAIN && watch.isAwake) return false;
    const leastRiseDb = recent.count < RECENT_FRAMES ? LEAST_RISE_EARLY_DB : LEAST_RISE_DB;
    return recent.changeDb >= LEAST_CHANGE_DB && recent.risesDb >= leastRiseDb;
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
      return era === startedEra ? settle(probability, heard) : probability;
    } finally {
      isInferring = false;
    }
  }

  return {
    model: carried.model,
    kind: carried.kind,
    infer(frame) {
      if (isInferring) {
        const message = 'The frame before is still being inferred';
        return Promise.reject(new DikteraError('engine-failed', message));
      }
      const levelDbfs = rmsDbfs(frame);
      if (isSilent(levelDbfs)) recent.passSilence();
      else recent.push(frame, levelDbfs);
      const answer = carried.infer(frame);
      if (typeof answer !== 'number') return inferLater(levelDbfs, answer);
      const heard = hearAgain(answer, levelDbfs);
      return typeof heard === 'number'
        ? settle(answer, heard)
        : inferLater(levelDbfs, answer, heard);
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
