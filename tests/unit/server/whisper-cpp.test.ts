import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../server/core/system.ts';
import type { TranscriptionEngine } from '../../../server/engine/engine-port.ts';
import { createOpenAiEngine } from '../../../server/engine/openai-engine.ts';
import { createWhisperCppEngine } from '../../../server/engine/whisper-cpp-engine.ts';
import { TEST_MODEL_SAYS } from '../../../tools/whisper-cpp/test-model.ts';
import {
  fixture,
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone } from '../../helpers/wave-file.ts';
import {
  startWhisperCpp,
  WHISPER_CPP,
  type WhisperCppServer,
} from '../../helpers/whisper-cpp-server.ts';

/**
 * The contract of the adapters and whisper.cpp's server. `npm test` uses a stub; `npx tsx
 * tools/whisper-cpp/main.ts` builds the server and uses that.
 */
let upstream: WhisperCppServer | null = null;
let server: RunningServer | null = null;
afterEach(async () => {
  await server?.close();
  await upstream?.close();
  server = upstream = null;
});

const ports = { fetch: globalThis.fetch, clock: systemClock, random: () => 0.5 };
const settings = { languages: ['sv', 'en'], defaultLanguage: null, prompt: '', timeoutMs: 60_000 };
const SPEECH = tone(440, 16_000, 1);
const never = new AbortController().signal;
const { text: SAYS } = TEST_MODEL_SAYS;

async function ready(engine: TranscriptionEngine): Promise<TranscriptionEngine> {
  await engine.start();
  expect(engine.state()).toEqual({ kind: 'ready' });
  return engine;
}

async function whisperCpp(over: Partial<Parameters<typeof createWhisperCppEngine>[0]> = {}) {
  upstream ??= await startWhisperCpp();
  const { url } = upstream;
  return ready(createWhisperCppEngine({ ...settings, url, model: 'test', ...over }, ports));
}

async function openAi() {
  upstream = await startWhisperCpp('for-openai');
  const model = { apiKey: null, model: 'test', fastModel: null };
  const baseUrl = `${upstream.url}/v1`;
  return ready(createOpenAiEngine({ ...settings, ...model, baseUrl }, ports));
}

const name = WHISPER_CPP.program === undefined ? 'the stub of whisper.cpp' : 'whisper.cpp itself';
describe(name, { timeout: 60_000 }, () => {
  describe('the adapter', () => {
    test.each([true, false])('gets the words, unbroken (fast: %s)', async (fast) => {
      const engine = await whisperCpp();
      const heard = await engine.transcribe(SPEECH, { language: 'sv', fast }, never);
      expect(heard).toMatchObject({ text: SAYS, language: 'sv' });
    });

    test('learns which language was spoken', async () => {
      const engine = await whisperCpp();
      const heard = await engine.transcribe(SPEECH, { language: '', fast: true }, never);
      expect(heard).toMatchObject({ text: SAYS, language: TEST_MODEL_SAYS.language });
    });

    test('joins the windows of a long chunk with spaces', async () => {
      const engine = await whisperCpp();
      const chunk = tone(440, 16_000, 90);
      const { text } = await engine.transcribe(chunk, { language: 'sv', fast: true }, never);
      expect(text).toBe(`${SAYS} ${SAYS} ${SAYS}`);
    });

    test('gets no words for less than a tenth of a second', async () => {
      const engine = await whisperCpp();
      const blip = SPEECH.subarray(0, 1_000);
      const { text } = await engine.transcribe(blip, { language: 'sv', fast: true }, never);
      expect(text).toBe('');
    });

    test('may say which words to expect', async () => {
      const engine = await whisperCpp({ prompt: 'Hej, Diktera' });
      const { text } = await engine.transcribe(SPEECH, { language: 'sv', fast: true }, never);
      expect(SAYS).toContain(text);
    });

    test('is answered twice when it asks twice at once', async () => {
      const engine = await whisperCpp();
      const ask = () => engine.transcribe(SPEECH, { language: 'sv', fast: true }, never);
      const both = await Promise.all([ask(), ask()]);
      expect(both.map(({ text }) => text)).toEqual([SAYS, SAYS]);
    });

    test('stops when told to, and is answered again afterwards', async () => {
      const engine = await whisperCpp();
      const wish = { language: 'sv', fast: false };
      const leaving = new AbortController();
      const lost = engine.transcribe(tone(440, 16_000, 600), wish, leaving.signal);
      leaving.abort(new Error('gone'));
      await expect(lost).rejects.toThrow('gone');
      expect((await engine.transcribe(SPEECH, wish, never)).text).toBe(SAYS);
    });

    test('gives up when its time is over', async () => {
      const engine = await whisperCpp({ timeoutMs: 1 });
      const late = engine.transcribe(tone(440, 16_000, 600), { language: 'sv', fast: true }, never);
      await expect(late).rejects.toMatchObject({ status: 504, code: 'engine_timeout' });
    });

    test('is refused at an address that is not the server', async () => {
      const engine = await whisperCpp();
      const { url } = upstream!;
      const elsewhere = createWhisperCppEngine(
        { ...settings, url: `${url}/nowhere`, model: 'test' },
        ports,
      );
      const refused = elsewhere.transcribe(SPEECH, { language: 'sv', fast: true }, never);
      await expect(refused).rejects.toMatchObject({ status: 502, code: 'engine_refused' });
      expect(engine.state().kind).toBe('ready');
    });

    test('lets the whole server take WebM, wave and no word of which language', async () => {
      server = await startServer({ engine: await whisperCpp() });
      for (const file of ['speech-en.webm', 'speech-en.wav']) {
        const form = speechForm(fixture(file), { fixSpelling: 'false' }, file);
        const { status, body } = await postSpeech(server, form);
        expect([status, body.transcription, body.language]).toEqual([200, SAYS, 'sv']);
      }
    });
  });

  describe("the adapter of OpenAI's address", () => {
    test.each(['sv', ''])('gets words and language when asked for %j', async (language) => {
      const engine = await openAi();
      const heard = await engine.transcribe(SPEECH, { language, fast: true }, never);
      expect(heard).toMatchObject({ text: SAYS, language: 'sv' });
    });
  });
});
