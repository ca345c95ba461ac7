import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { decodeAudio } from '../../../server/audio/decode-audio.ts';
import { systemClock } from '../../../server/core/system.ts';
import { startEngineProcess } from '../../../server/engine/engine-process.ts';
import { createMoonshineEngine } from '../../../server/engine/engine-set.ts';
import { decoderPool } from '../../helpers/decoder-pool.ts';
import {
  fixture,
  postSpeech,
  type RunningServer,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { SPOKEN_WORDS } from '../../helpers/spoken-words.ts';
import { waveFile } from '../../helpers/wave-file.ts';
import { wordErrorRate } from '../../helpers/word-error-rate.ts';

/** The real engine, the real decoders, real HTTP. */
let server: RunningServer;

beforeAll(async () => {
  const engine = createMoonshineEngine({
    launch: () => startEngineProcess({ kind: 'moonshine' }, { threads: 3 }),
    clock: systemClock,
    onFailure: (error) => {
      throw error;
    },
  });
  const decoder = decoderPool();
  server = await startServer({ engine, decoder, limits: { concurrency: 2 } });
  await vi.waitFor(async () => expect((await fetch(`${server.url}/api/health`)).status).toBe(200), {
    timeout: 20_000,
    interval: 20,
  });
}, 30_000);

afterAll(() => server.close());

async function samplesOf(name: string): Promise<Float32Array> {
  return (await decodeAudio(fixture(name), 60_000)).samples;
}

function joined(...parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const quiet = (seconds: number) => new Float32Array(seconds * 16_000);

describe('the embedded engine over HTTP', () => {
  test('is ready a while after its start and says so', async () => {
    const { body } = await readJson(fetch(`${server.url}/api/health`));
    expect(body).toMatchObject({
      status: 'ready',
      reason: null,
      engine: 'moonshine',
      languages: ['en'],
    });
  });

  test.each(['wav', 'webm', 'mp4', 'ogg'])('writes down speech sent as %s', async (type) => {
    const form = speechForm(fixture(`speech-en.${type}`), {}, `chunk-3.${type}`);
    const { status, body } = await postSpeech(server, form);
    expect(status).toBe(200);
    expect(wordErrorRate(SPOKEN_WORDS['speech-en'], body.transcription ?? '')).toBeLessThan(0.2);
    expect(body).toMatchObject({ language: 'en', complete: true, engine: 'moonshine' });
    expect(body.durationMs).toBeGreaterThan(4_400);
    expect(body.durationMs).toBeLessThan(4_460);
    expect(body.textRules).toEqual({ removePii: 'off', fixSpelling: 'inactive' });
  });

  test.each(['dictation-one', 'dictation-two'] as const)(
    'hears %s behind a second of silence, at 48 kHz',
    async (name) => {
      const { body } = await postSpeech(server, speechForm(fixture(`${name}.wav`)));
      expect(wordErrorRate(SPOKEN_WORDS[name], body.transcription ?? '')).toBeLessThan(0.2);
    },
  );

  test('hears a sentence after ten seconds of silence', async () => {
    const speech = await samplesOf('speech-en.wav');
    const file = waveFile(16_000, joined(quiet(10), speech, quiet(3)));
    const { body } = await postSpeech(server, speechForm(file));
    expect(wordErrorRate(SPOKEN_WORDS['speech-en'], body.transcription ?? '')).toBeLessThan(0.2);
  });

  test('keeps every sentence of a recording longer than the model takes at once', async () => {
    const [a, b] = [await samplesOf('dictation-one.wav'), await samplesOf('dictation-two.wav')];
    const file = waveFile(16_000, joined(a, b, a, b, a));
    const { body } = await postSpeech(server, speechForm(file));
    const { 'dictation-one': one, 'dictation-two': two } = SPOKEN_WORDS;
    const spoken = [one, two, one, two, one].join(' ');
    expect(wordErrorRate(spoken, body.transcription ?? '')).toBeLessThan(0.1);
  });

  test('answers many at once with the same words, and health in between', async () => {
    const form = () => speechForm(fixture('speech-en.webm'), {}, 'chunk.webm');
    const answers = Promise.all([1, 2, 3, 4].map(() => postSpeech(server, form())));
    const health = await readJson(fetch(`${server.url}/api/health`));
    expect(health.status).toBe(200);
    const texts = (await answers).map(({ body }) => body.transcription);
    expect(new Set(texts).size).toBe(1);
    expect(wordErrorRate(SPOKEN_WORDS['speech-en'], texts[0] ?? '')).toBeLessThan(0.2);
  });

  test.each([
    ['a header without samples', quiet(0)],
    ['half a minute of silence', quiet(30)],
    ['a single sample', new Float32Array([0.5])],
    ['hum', quiet(3).map((_, index) => 0.2 * Math.sin((2 * Math.PI * 50 * index) / 16_000))],
  ])('finds no words in %s', async (_, samples) => {
    const { status, body } = await postSpeech(server, speechForm(waveFile(16_000, samples)));
    expect(status).toBe(200);
    expect(body.transcription).toBe('');
  });

  test('refuses a language it does not have instead of writing nonsense', async () => {
    const form = speechForm(fixture('speech-en.wav'), { language: 'sv' });
    const { status, body } = await postSpeech(server, form);
    expect(status).toBe(422);
    expect(body.error?.code).toBe('language_not_supported');
    expect(body.error?.message).toContain('It knows: en');
  });
});
