import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../server/core/system.ts';
import { recognisedOf } from '../../../server/engine/load-sherpa.ts';
import { createOpenAiEngine } from '../../../server/engine/openai-engine.ts';
import { srtOf, vttOf } from '../../../src/core/text/subtitles.ts';
import { type TimedPart, timesOfWords, timeText } from '../../../src/core/text/time-text.ts';
import { expectLinear } from '../../helpers/expect-linear.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

/** Words a second long, one after the other, from `startMs` on. */
function part(text: string, startMs = 0): TimedPart {
  const words = text.split(' ').map((word, at) => ({
    text: word,
    startMs: startMs + 1_000 * at,
    endMs: startMs + 1_000 * at + 900,
    certainty: 0.9,
  }));
  return { text, startMs, endMs: words.at(-1)!.endMs, words };
}

const timesOf = (parts: readonly TimedPart[]) =>
  parts.flatMap(({ words = [] }) => words.map((word) => [word.text, word.startMs, word.endMs]));

describe('the times of a text', () => {
  test('are those of its words as they were heard', () => {
    const heard = [part('the patient has fever'), part('and needs rest', 10_000)];
    expect(timeText('the patient has fever and needs rest', heard)).toEqual(heard);
  });

  test('are in the text as the rules left it: marks, capitals and spelling', () => {
    const [timed] = timeText('The patient, has Fever.', [part('the patient has fever')]);
    expect(timed?.words?.map(({ text, certainty }) => [text, certainty])).toEqual([
      ['The', 0.9],
      ['patient,', 0.9],
      ['has', 0.9],
      ['Fever.', 0.9],
    ]);
  });

  test('of what was masked are those of all that it hides, which is nowhere in the answer', () => {
    const heard = [part('call zero seven zero one two three now')];
    const parts = timeText('call [phone] now', heard);
    expect(timesOf(parts)).toEqual([
      ['call', 0, 900],
      ['[phone]', 1_000, 6_900],
      ['now', 7_000, 7_900],
    ]);
    expect(parts[0]?.words?.[1]).not.toHaveProperty('certainty');
    expect(JSON.stringify(parts)).not.toMatch(/zero|seven/);
  });

  test('of a number in digits are those of its words, with the certainty of the least certain', () => {
    const [uncertain, ...rest] = part('take twenty five milligram now').words!.slice(1);
    const heard = [part('take').words![0]!, { ...uncertain!, certainty: 0.4 }, ...rest];
    const words = heard.map(({ text, ...time }) => ({ text, time }));
    expect(timesOfWords('Take 25 mg now.', words)).toEqual([
      { startMs: 0, endMs: 900, certainty: 0.9 },
      { startMs: 1_000, endMs: 3_900, certainty: 0.4 },
      { startMs: 1_000, endMs: 3_900 },
      { startMs: 4_000, endMs: 4_900, certainty: 0.9 },
    ]);
    const untold = words.map(({ text }) => ({ text, time: null }));
    expect(timesOfWords('Take 25 mg now.', untold)).toEqual([null, null, null, null]);
  });

  test('of a word that nobody heard is a moment, and of one taken out nothing', () => {
    expect(timesOf(timeText('well the end', [part('the bitter end')]))).toEqual([
      ['well', 0, 0],
      ['the', 0, 900],
      ['end', 2_000, 2_900],
    ]);
  });

  test('are those of parts where an engine tells no more', () => {
    const heard = [
      { text: 'one two', startMs: 0, endMs: 5_000 },
      { text: 'three four', startMs: 6_000, endMs: 9_000 },
    ];
    expect(timeText('One two. Three [name].', heard)).toEqual([
      { text: 'One two.', startMs: 0, endMs: 5_000 },
      { text: 'Three [name].', startMs: 6_000, endMs: 9_000 },
    ]);
  });

  const numbered = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`);
  const many = (count: number, word: string) => Array<string>(count).fill(word);

  test.each([
    ['a loop in the middle', ['well', ...many(60, 'no')], ['well', 'no'], numbered(40)],
    [
      'a loop before the last words',
      [...numbered(9), ...many(60, 'no')],
      numbered(9),
      ['bye', 'now'],
    ],
    ['a prompt that came back in front', numbered(30), [], ['The', 'patient', 'has', 'fever']],
    ['an IBAN read out', ['pay', ...many(30, 'six')], ['pay', '[iban]'], ['before', 'the', 'end']],
    [
      'a word of the loop behind it',
      many(60, 'no'),
      ['no'],
      ['I', 'said', 'we', 'do', 'no', 'such'],
    ],
    ['a slip beside it', many(60, 'no'), ['No,', 'fevver'], ['as', 'I', 'told', 'you', 'before']],
  ])('are right behind what was taken out: %s', (_, heard, left, rest) => {
    const all = [...heard, ...(left.includes('fevver') ? ['fever'] : []), ...rest];
    const times = timesOf(timeText([...left, ...rest].join(' '), [part(all.join(' '))]));
    const from = 1_000 * (all.length - rest.length);
    expect(times.slice(left.length)).toEqual(
      rest.map((word, at) => [word, from + 1_000 * at, from + 1_000 * at + 900]),
    );
  });

  test('of the sentences behind a loop are those of their parts where no words are timed', () => {
    const say = (text: string, at: number) => ({
      text,
      startMs: 5_000 * at,
      endMs: 5_000 * at + 5_000,
    });
    const sentences = ['one', 'two', 'three', 'four', 'five'].map(
      (number) => `Sentence number ${number} is about something else than the others.`,
    );
    const heard = ['The patient came.', many(60, 'thanks').join(' '), ...sentences].map(say);
    const text = ['The patient came.', 'thanks', ...sentences].join(' ');
    expect(timeText(text, heard)).toEqual([heard[0], say('thanks', 1), ...heard.slice(2)]);
  });

  test('are none where nothing is left', () => {
    expect(timeText('', [part('the end')])).toEqual([]);
    expect(timeText('words', [])).toEqual([]);
  });

  test('take twice as long for twice the parts', () => {
    const timed = (text: string) =>
      timeText(
        text,
        text.split(' ').map((word, at) => ({ text: word, startMs: at, endMs: at + 1 })),
      );
    expectLinear(timed, ['fever and ', 'a '], []);
  });

  test('cost time by the length of a text, also where nothing fits', () => {
    const heard = [part(Array.from({ length: 30_000 }, (_, at) => `w${at}`).join(' '))];
    const other = Array.from({ length: 30_000 }, (_, at) => `x${at}`).join(' ');
    const startMs = performance.now();
    expect(timeText(other, heard)[0]?.words).toHaveLength(30_000);
    const again = [part('a b c d '.repeat(15_000).trim())];
    expect(timeText('x a b c '.repeat(15_000), again)[0]?.words).toHaveLength(60_000);
    expect(performance.now() - startMs).toBeLessThan(10_000);
  });
});

describe('subtitles', () => {
  test('have lines one can read, at the times of their words', () => {
    const text = Array.from({ length: 10 }, (_, at) => `word${at}`).join(' ');
    expect(srtOf([part(text, 3_599_000)])).toBe(
      '1\n00:59:59,000 --> 01:00:05,900\nword0 word1 word2 word3 word4 word5 word6\n\n' +
        '2\n01:00:06,000 --> 01:00:08,900\nword7 word8 word9\n\n',
    );
  });

  test('of parts without words are the parts', () => {
    const text = 'a <b> & c -->'.padEnd(60, ' x');
    expect(vttOf([{ text, startMs: 1_001, endMs: 61_500 }])).toMatch(
      /^WEBVTT\n\n00:00:01\.001 --> 00:01:01\.500\na &lt;b&gt; &amp; c --&gt;[ x]+\n[x ]+\n\n$/,
    );
    expect([srtOf([]), vttOf([])]).toEqual(['', 'WEBVTT\n\n']);
  });
});

describe('what sherpa-onnx tells of its tokens', () => {
  const result = {
    text: 'Hej på dig.',
    tokens: [' He', 'j', ' på', ' dig', '.'],
    timestamps: [0.08, 0.16, 0.4, 0.64, 0.8],
    durations: [0.08, 0.08, 0.16, 0.16, 0],
    ys_log_probs: [-0.1, -0.7, 0, -0.05, -0.2],
  };

  test('becomes words with times and the certainty of the least certain token', () => {
    expect(recognisedOf(result)).toEqual({
      text: result.text,
      words: [
        { text: 'Hej', startMs: 80, endMs: 240, certainty: 0.497 },
        { text: 'på', startMs: 400, endMs: 560, certainty: 1 },
        { text: 'dig.', startMs: 640, endMs: 800, certainty: 0.819 },
      ],
    });
  });

  test('is left out as far as it is not told', () => {
    const { words } = recognisedOf({ ...result, ys_log_probs: [] });
    expect(words?.[0]).toEqual({ text: 'Hej', startMs: 80, endMs: 240 });
    expect(recognisedOf({ ...result, timestamps: [] })).toEqual({ text: result.text });
  });
});

describe('what other servers tell', () => {
  async function partsOf(answer: object) {
    const fetch = async () => Response.json(answer);
    const engine = createOpenAiEngine(
      {
        ...{ baseUrl: 'http://127.0.0.1:9/v1', apiKey: null, model: 'm', fastModel: null },
        ...{ languages: ['en'], defaultLanguage: null, prompt: '', timeoutMs: 9_000 },
      },
      { fetch, clock: systemClock, random: () => 0.5 },
    );
    const wish = { language: 'en', fast: true };
    const never = new AbortController().signal;
    const { parts } = await engine.transcribe(tone(440, 16_000, 1), wish, never);
    await engine.dispose?.();
    return parts;
  }
  const segment = { text: ' one two', start: 0.5, end: 1.25 };
  const words = [
    { word: ' one', start: 0.5, end: 0.75, probability: 0.8 },
    { word: ' two', start: 0.75, end: 1.25 },
  ];
  const heard = [
    { text: 'one', startMs: 500, endMs: 750, certainty: 0.8 },
    { text: 'two', startMs: 750, endMs: 1_250 },
  ];

  test('segments, with words of their own, or with those of all of it (OpenAI), or without', async () => {
    const part = { text: 'one two', startMs: 500, endMs: 1_250 };
    const text = 'one two';
    expect(await partsOf({ text, segments: [segment] })).toEqual([part]);
    const withOwn = { text, segments: [{ ...segment, words }] };
    expect(await partsOf(withOwn)).toEqual([{ ...part, words: heard }]);
    expect(await partsOf({ text, segments: [segment], words })).toEqual([
      { ...part, words: heard },
    ]);
  });

  test.each<[string, object]>([
    ['no segments', {}],
    ['a segment without a time', { segments: [segment, { text: 'three' }] }],
    ['a time that goes back', { segments: [{ ...segment, end: 0.25 }] }],
    ['a time that is none', { segments: [{ ...segment, start: 'soon' }] }],
    ['something else', { segments: 'one two' }],
  ])('%s: no times at all', async (_, more) => {
    expect(await partsOf({ text: 'one two', ...more })).toBeUndefined();
  });

  test('a word without a time leaves the words of its segment out', async () => {
    const [part] = (await partsOf({
      text: 'one two',
      segments: [{ ...segment, words: [words[0], { word: ' two' }] }],
    }))!;
    expect(part).not.toHaveProperty('words');
  });
});

describe('over the wire', () => {
  const WAV = waveFile(16_000, tone(440, 16_000, 3));
  let server: RunningServer;
  beforeAll(async () => {
    const { engine } = createFakeEngine();
    const timed = {
      ...engine,
      transcribe: async () => ({
        ...part('fine words here'),
        language: 'en',
        parts: [part('fine words here')],
      }),
    };
    server = await startServer({ engine: timed });
  });
  afterAll(() => server.close());

  async function transcribe(
    fields: Readonly<Record<string, string>>,
    extra: readonly (readonly [string, string])[] = [],
  ) {
    const form = new FormData();
    form.set('file', new File([new Uint8Array(WAV)], 'a.wav'));
    for (const [name, value] of [...Object.entries(fields), ...extra]) form.append(name, value);
    return fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', body: form });
  }
  type Verbose = { words?: unknown[]; segments: unknown[] };
  const verbose = async (...granularities: readonly string[]) =>
    (await (
      await transcribe(
        { response_format: 'verbose_json' },
        granularities.map((one) => ['timestamp_granularities[]', one] as const),
      )
    ).json()) as Verbose;

  test('the page has them when it asks for them, and else not', async () => {
    const { body } = await postSpeech(server, speechForm(WAV, { times: 'true' }));
    expect(body).toMatchObject({
      parts: [{ text: 'fine words here', words: [{}, {}, { text: 'here', startMs: 2_000 }] }],
    });
    expect((await postSpeech(server, speechForm(WAV))).body).not.toHaveProperty('parts');
  });

  test('verbose_json has words and segments, or those that are asked for', async () => {
    const both = await verbose();
    expect(both.words?.[2]).toEqual({ word: 'here', start: 2, end: 2.9, certainty: 0.9 });
    expect(both.segments).toEqual([{ id: 0, start: 0, end: 2.9, text: 'fine words here' }]);
    expect((await verbose('word')).segments).toEqual([]);
    expect((await verbose('word')).words).toHaveLength(3);
    expect((await verbose('segment')).words).toBeUndefined();
    expect((await verbose('segment', 'word')).segments).toHaveLength(1);
  });

  test('srt and vtt', async () => {
    const srt = await transcribe({ response_format: 'srt' });
    expect(await srt.text()).toBe('1\n00:00:00,000 --> 00:00:02,900\nfine words here\n\n');
    const vtt = await transcribe({ response_format: 'VTT' });
    expect(vtt.headers.get('content-type')).toContain('text/vtt');
    expect(await vtt.text()).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:02.900\nfine words here\n\n');
  });
});
