import { FRAME_SAMPLES } from '../audio/audio-format.ts';
import { rmsDbfs, SILENCE_DBFS } from '../audio/level.ts';
import { DikteraError } from '../errors.ts';
import { createDoubtWatch, RELISTEN_FRAMES } from './doubt-watch.ts';
import type { BareEngine, SpeechEngine } from './speech-engine.ts';

/**
 * Silero without its weakness for pauses. Its state goes stale while nobody speaks: after some seconds of quiet,
 * noise or key clicks it gives quiet speech 0.01 to 0.4. So there are two hearings of the same model. The carried
 * one hears everything, from the session's start. Where it doubts, a fresh one forgets all, hears the last 1.9 s
 * of sound again, and follows as long as there is doubt; a frame's probability is the larger of the two.
 *
 * Why not simply reset the state while it is quiet: a cold state misses the word that begins right after
 * it, and a state that has forgotten a melody takes its next note for speech. The carried hearing remembers the
 * melody and does not doubt. Figures: `npm run bench:gate`.
 *
 * Takes the engine over: `dispose` gives both hearings' memory back. Answers at once where the engine does.
 */
export function createSteadyEngine(carried: BareEngine): SpeechEngine {
  const fresh = carried.twin();
  const watch = createDoubtWatch();
  const recent = createRecentFrames();
  /** Counts the resets: what was being heard before one is not gone on with after it. */
  let era = 0;
  let isJudging = false;

  function hearAgain(frame: Float32Array, probability: number): number | Promise<number> {
    if (isSilent(frame)) return probability;
    switch (watch.task(probability)) {
      case 'rest':
        return probability;
      case 'follow':
        return larger(probability, fresh.judge(frame));
      case 'relisten':
        fresh.reset();
        return larger(probability, relisten(0));
    }
  }

  /** The fresh hearing's answer for the last of the recent frames, heard from one of them on; 0 after a reset. */
  function relisten(from: number): number | Promise<number> {
    const startedEra = era;
    let answer: number | Promise<number> = 0;
    for (let index = from; index < recent.count && era === startedEra; index++) {
      answer = fresh.judge(recent.at(index));
      if (typeof answer !== 'number' && index + 1 < recent.count) {
        return answer.then(() => (era === startedEra ? relisten(index + 1) : 0));
      }
    }
    return answer;
  }

  function settle(probability: number): number {
    watch.settled(probability);
    return probability;
  }

  /** For an engine that answers later: one frame at a time, as `SpeechEngine` says. */
  async function judgeLater(frame: Float32Array, answer: Promise<number>): Promise<number> {
    const startedEra = era;
    isJudging = true;
    try {
      const probability = await answer;
      if (era !== startedEra) return probability;
      const heard = await hearAgain(frame, probability);
      return era === startedEra ? settle(heard) : heard;
    } finally {
      isJudging = false;
    }
  }

  return {
    model: carried.model,
    kind: carried.kind,
    judge(frame) {
      if (isJudging) {
        const message = 'The frame before is still being judged';
        return Promise.reject(new DikteraError('engine-failed', message));
      }
      if (!isSilent(frame)) recent.push(frame);
      const answer = carried.judge(frame);
      if (typeof answer !== 'number') return judgeLater(frame, answer);
      const heard = hearAgain(frame, answer);
      return typeof heard === 'number' ? settle(heard) : judgeLater(frame, heard);
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
 * Digital silence is for the carried hearing alone: it does not go stale there, and a fresh one that has heard it in place of
 * the melody before it takes the next note for speech.
 */
function isSilent(frame: Float32Array): boolean {
  return rmsDbfs(frame) <= SILENCE_DBFS;
}

function larger(a: number, b: number | Promise<number>): number | Promise<number> {
  return typeof b === 'number' ? Math.max(a, b) : b.then((later) => Math.max(a, later));
}

/** The last frames, oldest first, in memory of their own: the caller may fill a frame's memory again. */
function createRecentFrames() {
  const memory = Array.from({ length: RELISTEN_FRAMES }, () => new Float32Array(FRAME_SAMPLES));
  let pushed = 0;
  const place = (index: number): Float32Array => {
    const frame = memory[index % RELISTEN_FRAMES];
    if (!frame) throw new RangeError(`There is no frame ${index}`);
    return frame;
  };
  return {
    push(frame: Float32Array) {
      const kept = place(pushed++);
      kept.set(frame.subarray(0, FRAME_SAMPLES));
      kept.fill(0, Math.min(frame.length, FRAME_SAMPLES));
    },
    /** `index` counts from the oldest that is kept. */
    at: (index: number) => place(Math.max(0, pushed - RELISTEN_FRAMES) + index),
    get count() {
      return Math.min(pushed, RELISTEN_FRAMES);
    },
    clear() {
      pushed = 0;
    },
  };
}
