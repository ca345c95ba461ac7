import { expect, test } from 'vitest';
import { createDeferred, type Deferred } from '../../src/core/async.ts';
import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { AudioType, EncodedAudio } from '../../src/core/audio/audio-types.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import type { SpeechChunk } from '../../src/core/speech/chunk-cutter.ts';
import {
  createEarlyAnswers,
  createLiveSpeech,
  type EarlyOutcome,
} from '../../workers/session/live-speech.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

type Asked = Deferred<EarlyOutcome> & {
  readonly durationSamples: number;
  readonly isPreview: boolean;
  readonly signal: AbortSignal;
};

/** Frames of speech and of quiet, to a server that answers as the test says. */
function setUp({ livePreview = true, isFast = true, audioType = 'audio/webm' as AudioType } = {}) {
  const clock = createFakeClock();
  const events: SnapshotEvent[] = [];
  const asked: Asked[] = [];
  const link = { isFast, isSeen: true, isFree: false };
  const finals: string[] = [];
  const answers = createEarlyAnswers(async ({ id }) => {
    finals.push(id);
    return { kind: 'answered', text: 'asked anew', needsReview: null };
  });
  const live = createLiveSpeech({
    options: { ...DEFAULT_SESSION_OPTIONS, live: true, livePreview },
    encoder: {
      encode: async ({ length }): Promise<EncodedAudio> => ({
        type: audioType,
        bytes: new ArrayBuffer(length),
        durationSamples: length,
      }),
    },
    ask: ({ audio }, isPreview, signal) => {
      const { durationSamples } = audio;
      const own = { ...createDeferred<EarlyOutcome>(), durationSamples, isPreview, signal };
      asked.push(own);
      return own.promise;
    },
    answers,
    rules: { apply: async (text) => ({ text }) },
    isLinkFast: () => link.isFast,
    isSeen: () => link.isSeen,
    freePieces: () => link.isFree,
    showsWords: () => true,
    clock,
    dispatch: (event) => events.push(event),
  });

  /** A piece of so many frames of speech, and of quiet behind them. */
  const pieceOf = (frames: number, quietFrames = 0, number = 0) => {
    const samples = new Float32Array((frames + quietFrames) * FRAME_SAMPLES);
    const startSample = number * 1_000_000;
    const ranges = [{ startSample, endSample: startSample + samples.length }];
    return { number, ranges, samples, speechSamples: frames * FRAME_SAMPLES };
  };
  const speak = async (
    frames: number,
    quietFrames = 0,
    number = 0,
    isFull = false,
  ): Promise<void> => {
    const piece = pieceOf(frames, quietFrames, number);
    const pauseSample = quietFrames < 2 ? null : (piece.ranges[0]?.endSample ?? 0);
    live.spoken({ ...piece, isFull, pauseSample, quietFrames, peek: () => piece });
    await clock.advance(0);
  };
  const cut = (frames: number, quietFrames = 0): SpeechChunk => ({
    ...pieceOf(frames, quietFrames),
    endsInSpeech: false,
  });
  /** The chunk's way to its text, as a queue goes it. */
  const send = async (audio: EncodedAudio) => {
    const item = { ...makeQueueItem({ speechSamples: SAMPLE_RATE_HZ }), audio };
    return answers.request(item, new AbortController().signal);
  };
  const answer = async (text: string): Promise<void> => {
    asked.at(-1)?.resolve({ answer: { text, isComplete: true }, result: 'answered' });
    await clock.advance(0);
  };
  const shown = () => {
    const last = events.findLast(({ kind }) => kind === 'preview-changed');
    return last?.kind === 'preview-changed' ? last.preview : null;
  };
  return { clock, live, events, asked, finals, link, speak, cut, send, answer, shown };
}

test('what is spoken is asked for as it grows, one request at a time', async () => {
  const { speak, asked, answer, shown } = setUp();
  await speak(14);
  expect(asked).toHaveLength(0);
  await speak(15);
  expect(asked.map(({ isPreview }) => isPreview)).toEqual([true]);
  await speak(40);
  expect(asked).toHaveLength(1);
  await answer('ett två');
  expect(shown()).toEqual({ firm: '', tentative: 'ett två' });
  await speak(41);
  await answer('ett två tre');
  expect(shown()).toEqual({ firm: 'ett två', tentative: 'tre' });
});

test('what is asked for where a pause begins is the final text if it is one', async () => {
  const { live, speak, cut, asked, answer, send, finals } = setUp();
  await speak(5, 2);
  expect(asked.map(({ isPreview }) => isPreview)).toEqual([false]);
  await speak(5, 2);
  expect(asked, 'the same place once').toHaveLength(1);
  const audio = await live.audioOf(cut(5, 2));
  if (!audio) throw new Error('The file was made already');
  const sent = send(audio);
  await answer('Hej.');
  expect(await sent).toEqual({ kind: 'answered', text: 'Hej.', needsReview: null });
  expect(finals).toEqual([]);
  expect(await send(audio), 'once').toMatchObject({ text: 'asked anew' });
});

test('another piece than was asked for is asked for anew, and the request ends', async () => {
  const { live, speak, cut, asked } = setUp();
  await speak(5, 2);
  expect(live.audioOf(cut(6, 2))).toBeUndefined();
  expect(asked[0]?.signal.aborted).toBe(true);
});

test('a guess that gets no answer is asked for anew as a final', async () => {
  const { live, speak, cut, asked, send, finals } = setUp();
  await speak(5, 2);
  const audio = await live.audioOf(cut(5, 2));
  if (!audio) throw new Error('The file was made already');
  asked[0]?.resolve({ answer: null, result: { kind: 'busy', retryAfterMs: null } });
  expect(await send(audio)).toMatchObject({ text: 'asked anew' });
  expect(finals).toHaveLength(1);
});

test('a pause ends the preview under way; what is said next does not end what a final waits for', async () => {
  const { live, speak, cut, asked } = setUp();
  await speak(15);
  await speak(16, 2);
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  void live.audioOf(cut(16, 2));
  await speak(15, 0, 1);
  await speak(16, 2, 1);
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false, true, false]);
});

test('speech that goes on keeps the answer for its words', async () => {
  const { speak, answer, asked, shown } = setUp();
  await speak(5, 2);
  await speak(30);
  expect(asked).toHaveLength(1);
  await answer('ett två');
  expect(shown()).toEqual({ firm: '', tentative: 'ett två' });
});

test('behind a pause that was none, a preview hears what follows alone', async () => {
  const { speak, answer, asked, shown } = setUp();
  await speak(20, 2);
  await answer('ett två');
  await speak(40);
  await answer('tre fyra');
  expect(shown()).toEqual({ firm: 'ett två', tentative: 'tre fyra' });
  await speak(45, 2);
  await answer('ett två tre fyra fem');
  await speak(15, 0, 1);
  const frames = asked.map(({ durationSamples }) => durationSamples / FRAME_SAMPLES);
  expect(frames, 'what may be final, and another piece, as they are').toEqual([22, 18, 47, 15]);
});

test('a piece that goes on behind its pauses is heard whole when it seems to end, and its parts once', async () => {
  const { live, speak, answer, asked, shown, cut, send, finals } = setUp();
  await speak(40, 2);
  await answer('ett två');
  await speak(60, 4);
  await answer('tre fyra');
  expect(shown()).toEqual({ firm: 'ett två', tentative: 'tre fyra' });
  await speak(80, 6);
  await answer('fem');
  expect(shown()).toEqual({ firm: 'ett två tre fyra', tentative: 'fem' });
  await speak(110, 8, 0, true);
  expect(asked.map(({ isPreview }) => isPreview)).toEqual([false, true, true, false]);
  const frames = asked.map(({ durationSamples }) => durationSamples / FRAME_SAMPLES);
  expect(frames).toEqual([42, 22, 22, 118]);
  const audio = await live.audioOf(cut(110, 8));
  if (!audio) throw new Error('The file was made already');
  const sent = send(audio);
  await answer('Ett två tre fyra fem sex.');
  expect(await sent).toMatchObject({ text: 'Ett två tre fyra fem sex.' });
  expect(finals).toEqual([]);
});

test('without previews, a pause in a long piece that goes on is not asked for', async () => {
  const { speak, answer, asked } = setUp({ livePreview: false });
  await speak(40, 2);
  await answer('ett');
  await speak(60, 4);
  expect(asked).toHaveLength(1);
  await speak(110, 8, 0, true);
  expect(asked).toHaveLength(2);
});

test('a final text takes its words out of the preview in the same event', async () => {
  const { live, events, speak, answer } = setUp();
  await speak(15);
  await answer('ett två');
  live.dispatch({ kind: 'chunk-transcribed', number: 0, text: 'Ett två.' });
  expect(events.at(-1)).toEqual({
    kind: 'chunk-transcribed',
    number: 0,
    text: 'Ett två.',
    preview: { firm: '', tentative: '' },
  });
});

test('nothing is asked for on a slow link, nor of a server that is busy', async () => {
  const { speak, asked, link, clock } = setUp({ isFast: false });
  await speak(20);
  await speak(20, 2);
  expect(asked).toHaveLength(0);
  link.isFast = true;
  await speak(40);
  asked[0]?.resolve({ answer: null, result: { kind: 'busy', retryAfterMs: 7_000 } });
  await clock.advance(6_900);
  await speak(90);
  await speak(90, 3);
  expect(asked).toHaveLength(1);
  await clock.advance(100);
  await speak(91);
  expect(asked).toHaveLength(2);
});

test('without previews a pause is still asked for early, and its words are not shown', async () => {
  const { speak, asked, answer, shown } = setUp({ livePreview: false });
  await speak(30);
  expect(asked).toHaveLength(0);
  await speak(30, 2);
  await answer('ett');
  expect(asked).toHaveLength(1);
  expect(shown()).toBeNull();
});

test('where nothing but WAV can be encoded, a pause is asked for early and nothing before it', async () => {
  const { speak, asked } = setUp({ audioType: 'audio/wav' });
  await speak(15);
  await speak(40);
  expect(asked).toHaveLength(0);
  await speak(40, 2);
  expect(asked).toHaveLength(1);
});

test('a server that does not know previews still gets pauses early', async () => {
  const { speak, asked, clock } = setUp();
  await speak(15);
  asked[0]?.resolve({ answer: null, result: 'refused' });
  await clock.advance(0);
  await speak(40);
  expect(asked).toHaveLength(1);
  await speak(40, 2);
  expect(asked.map(({ isPreview }) => isPreview)).toEqual([true, false]);
});

test('a page that is hidden gets no previews, and its pauses early all the same', async () => {
  const { speak, asked, link, clock } = setUp();
  link.isSeen = false;
  await speak(40);
  expect(asked).toHaveLength(0);
  await speak(40, 2);
  expect(asked).toHaveLength(1);
  link.isSeen = true;
  asked[0]?.resolve({ answer: null, result: 'answered' });
  await clock.advance(0);
  await speak(80);
  expect(asked).toHaveLength(2);
});

test('the stop ends a preview under way, and none comes after it', async () => {
  const { live, speak, asked } = setUp();
  await speak(15);
  live.finish();
  expect(asked.map(({ isPreview, signal }) => [isPreview, signal.aborted])).toEqual([[true, true]]);
  await speak(60);
  expect(asked).toHaveLength(1);
});

test('the stop leaves what will be the final text, and a pause behind it is still asked for', async () => {
  const { live, speak, asked } = setUp();
  await speak(5, 2);
  live.finish();
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([false]);
  await speak(10);
  await speak(60, 2);
  expect(asked.map(({ isPreview }) => isPreview)).toEqual([false, false]);
});

test('where it costs nothing, all of a long piece is asked for where it seems to end', async () => {
  const { live, link, speak, cut, asked, answer, send, finals } = setUp();
  link.isFree = true;
  await speak(40, 2);
  await answer('Ett två.');
  await speak(60, 2);
  await speak(60, 3);
  expect(asked, 'a gap between two words is no end').toHaveLength(1);
  await speak(60, 4);
  expect(asked.map(({ isPreview }) => isPreview)).toEqual([false, false]);
  const audio = await live.audioOf(cut(60, 4));
  if (!audio) throw new Error('The file was made already');
  const sent = send(audio);
  await answer('Ett två tre.');
  expect(await sent).toMatchObject({ text: 'Ett två tre.' });
  expect(finals).toEqual([]);
});
