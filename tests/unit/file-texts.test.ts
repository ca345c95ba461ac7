import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { isTaken, type TimedPart } from '../../src/files/file-texts.ts';
import { textFile, textName } from '../../src/page/files/formats.ts';
import { createResampler } from '../../workers/audio/read-file.ts';
import { measureTone, toDb, tone } from '../helpers/tones.ts';

const word = (text: string, startMs: number, endMs: number) => ({ text, startMs, endMs });
const PARTS: readonly TimedPart[] = [
  {
    ...word('Hej på dig.', 0, 1_200),
    words: [word('Hej', 0, 400), word('på', 400, 600), word('dig.', 600, 1_200)],
  },
  { ...word('A < B & C', 3_723_004, 3_725_000), words: [] },
];

test.each([
  ['txt', 'Hej på dig.\nA < B & C\n'],
  [
    'srt',
    '1\n00:00:00,000 --> 00:00:01,200\nHej på dig.\n\n2\n01:02:03,004 --> 01:02:05,000\nA < B & C\n\n',
  ],
  [
    'vtt',
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.200\nHej på dig.\n\n01:02:03.004 --> 01:02:05.000\nA &lt; B &amp; C\n\n',
  ],
] as const)('a text as %s', async (form, written) => {
  expect(await (await textFile(PARTS, form, false)).text()).toBe(written);
});

test('with times each part has its own in front of it, and a text for players none but its own', async () => {
  expect(await (await textFile(PARTS, 'txt', true)).text()).toBe(
    '0:00  Hej på dig.\n1:02:03  A < B & C\n',
  );
  const document = unzipSync(
    new Uint8Array(await (await textFile(PARTS, 'docx', true)).arrayBuffer()),
  )['word/document.xml'];
  expect(new TextDecoder().decode(document)).toContain('>1:02:03  A &lt; B &amp; C<');
  const srt = async (hasTimes: boolean) => (await textFile(PARTS, 'srt', hasTimes)).text();
  expect(await srt(true)).toBe(await srt(false));
});

test('as JSON it has all that is known', async () => {
  const { text, parts } = JSON.parse(await (await textFile(PARTS, 'json', true)).text());
  expect(text).toBe('Hej på dig.\nA < B & C');
  expect(parts).toEqual(PARTS);
});

test('as a document it has a paragraph for each line, and nothing that XML cannot hold', async () => {
  const texts = ['A < B & C', 'Två\u0007rader\nhär'];
  const parts = texts.map((text) => ({ text, startMs: 0, endMs: 1, words: [] }));
  const file = await textFile(parts, 'docx', false);
  const files = unzipSync(new Uint8Array(await file.arrayBuffer()));
  expect(Object.keys(files)).toEqual(['[Content_Types].xml', '_rels/.rels', 'word/document.xml']);
  const document = new TextDecoder().decode(files['word/document.xml']);
  const paragraphs = [...document.matchAll(/<w:t [^>]*>([^<]*)<\/w:t>/g)].map(([, text]) => text);
  expect(paragraphs).toEqual(['A &lt; B &amp; C', 'Tvårader', 'här']);
  expect(file.type).toContain('wordprocessingml');
});

test('a part with many words is as many cues as it takes to read them, each word once', async () => {
  const words = Array.from({ length: 60 }, (_, index) =>
    word(`ord${index}`, index * 500, index * 500 + 400),
  );
  const text = words.map((each) => each.text).join(' ');
  const srt = await (
    await textFile([{ text, startMs: 0, endMs: 30_000, words }], 'srt', false)
  ).text();
  const lines = srt.split('\n').filter((line) => line.startsWith('ord'));
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.every((line) => line.length <= 42)).toBe(true);
  expect(lines.join(' ')).toBe(text);
});

test.each(['srt', 'vtt'] as const)(
  'cues of %s come one after the other, each in one piece',
  async (form) => {
    const parts = [
      { ...word('Ett --> två', 0, 5_000), words: [] },
      {
        ...word('Tre\n\nfyra', 4_000, 4_000),
        words: [word('Tre', 4_000, 4_000), word('fyra', 3_900, 3_950)],
      },
      { ...word('fem\n\nsex', 4_000, 6_000), words: [] },
      { ...word(' ', 6_000, 7_000), words: [] },
    ];
    const written = await (await textFile(parts, form, true)).text();
    const times = [...written.matchAll(/(\d\d):(\d\d):(\d\d)[.,](\d{3})/g)].map(
      ([, h, m, s, ms]) => {
        return 1_000 * (60 * (60 * Number(h) + Number(m)) + Number(s)) + Number(ms);
      },
    );
    expect(times).toHaveLength(6);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    for (let at = 0; at < times.length; at += 2) expect(times[at + 1]).toBeGreaterThan(times[at]!);
    const blocks = written.trimEnd().split('\n\n');
    expect(blocks).toHaveLength(form === 'srt' ? 3 : 4);
    expect(blocks.at(-1)).toMatch(/\nfem sex$/);
    // An arrow in a text of this kind would be a time.
    if (form === 'vtt') expect(written.split('-->')).toHaveLength(4);
  },
);

test.each([
  ['möte.mp3', 'möte.txt'],
  ['a.b.wav', 'a.b.txt'],
  ['.wav', '.wav.txt'],
  ['utan', 'utan.txt'],
])('the text of %s is named %s', (name, named) => {
  expect(textName(name, 'txt')).toBe(named);
});

test.each([8_000, 44_100, 48_000, 96_000])(
  '%i Hz to 16: a tone stays, in blocks of any size',
  (rateHz) => {
    const input = tone(1_000, rateHz, rateHz);
    const resample = createResampler(rateHz);
    const output: number[] = [];
    for (let at = 0; at < input.length; at += 1_001) {
      output.push(...resample(input.subarray(at, at + 1_001)));
    }
    expect(Math.abs(output.length - 16_000)).toBeLessThan(64);
    const samples = Float32Array.from(output.slice(500, 14_500));
    expect(Math.abs(toDb(measureTone(samples, 1_000, 16_000).amplitude))).toBeLessThan(0.1);
  },
);

test('what 16 kHz cannot hold is not heard as something else', () => {
  const input = tone(11_000, 48_000, 48_000);
  const output = createResampler(48_000)(input);
  expect(toDb(measureTone(output.subarray(500, 14_500), 5_000, 16_000).amplitude)).toBeLessThan(
    -55,
  );
});

test.each<[string, string, string | null, readonly string[], boolean]>([
  ['tal.m4a', 'audio/x-m4a', 'aac', ['audio/mp4;codecs=opus'], false],
  ['tal.m4a', '', 'aac', ['audio/mp4;codecs=opus', 'audio/mp4;codecs=mp4a.40.2'], true],
  ['film.MOV', 'video/quicktime', null, ['audio/mp4;codecs="opus"'], true],
  ['tal.opus', 'audio/ogg', 'opus', ['audio/ogg;codecs=opus'], true],
  ['tal.ogg', 'audio/ogg', 'vorbis', ['audio/ogg;codecs=opus'], false],
  ['tal.mp3', 'audio/mpeg', 'mp3', ['audio/mpeg'], true],
  ['tal.dss', '', null, ['audio/wav'], true],
])('%s (%s, %s) is taken by %j: %s', (name, type, codec, listed, expected) => {
  expect(isTaken({ name, type }, codec, listed)).toBe(expected);
});
