import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../server/core/system.ts';
import type { TranscriptionEngine } from '../../../server/engine/engine-port.ts';
import { createOpenAiEngine } from '../../../server/engine/openai-engine.ts';
import { createWhisperCppEngine } from '../../../server/engine/whisper-cpp-engine.ts';
import { openRealtime } from '../../helpers/realtime-client.ts';
import {
  fixture,
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { json, startUpstreamStub, type UpstreamStub } from '../../helpers/upstream-stub.ts';
import { waveFile } from '../../helpers/wave-file.ts';

/** A speech server that invents, behind ours, over real HTTP. */
let stub: UpstreamStub;
let server: RunningServer | null = null;
beforeEach(async () => {
  stub = await startUpstreamStub();
});
afterEach(async () => {
  await server?.close();
  server = null;
  await stub.close();
});

const PROMPT = 'Diktering på svenska. Waran, Alvedon, Furix.';
const ports = {
  fetch: globalThis.fetch,
  clock: {
    ...systemClock,
    after: (ms: number, run: () => void) => systemClock.after(ms / 100, run),
  },
  random: () => 0.5,
};
const common = { languages: ['sv', 'en'], defaultLanguage: null, timeoutMs: 600_000 };
const openAi = (prompt = '') =>
  createOpenAiEngine(
    {
      ...common,
      prompt,
      baseUrl: `${stub.url}/v1`,
      apiKey: null,
      model: 'whisper-1',
      fastModel: null,
    },
    ports,
  );
const whisperCpp = (prompt = '') =>
  createWhisperCppEngine({ ...common, prompt, url: stub.url, model: 'ggml' }, ports);
/** One that runs here: it says nothing of how sure it is. */
const embedded = (text: string): TranscriptionEngine => ({
  description: { engine: 'moonshine', model: 'tiny', languages: ['en'], defaultLanguage: 'en' },
  state: () => ({ kind: 'ready' }),
  start: async () => undefined,
  transcribe: async () => ({ text, language: 'en' }),
});

async function serve(engine: TranscriptionEngine): Promise<RunningServer> {
  const at = await startServer({ engine });
  server = at;
  await expect.poll(async () => (await fetch(`${at.url}/api/health`)).status).toBe(200);
  return at;
}

const random = seededRandom(43);
const hiss = Float32Array.from({ length: 48_000 }, () => 0.1 * (2 * random() - 1));
const NOISE = waveFile(16_000, hiss);
const SPEECH = fixture('speech-en.wav');

/** As Whisper's servers say it. */
const verbose = (text: string, noSpeech: number, logprob: number) =>
  json(200, {
    text,
    language: 'swedish',
    segments: [{ id: 0, text, no_speech_prob: noSpeech, avg_logprob: logprob }],
  });

async function ask(at: RunningServer, file: Uint8Array, language = 'sv') {
  const { status, body } = await postSpeech(at, speechForm(file, { language }));
  return { status, text: body.transcription, complete: body.complete };
}
const answer = (text: string, complete = true) => ({ status: 200, text, complete });

describe('over noise', () => {
  test.each([
    ['thanks for watching', verbose('Tack för att du tittade!', 0.92, -0.4)],
    ['thanks', verbose('Tack.', 0.92, -0.4)],
    ['an unsure thanks', verbose('Tack så mycket.', 0.3, -1.4)],
    ['thanks of one who says no figures', json(200, { text: 'Tack så mycket.' })],
    ['silence', json(200, { text: '[SILENCE]' })],
    ['blank audio', json(200, { text: '[BLANK_AUDIO]' })],
    ['music', json(200, { text: '(musik)' })],
    ['notes', json(200, { text: '♪' })],
    ['laughter', json(200, { text: '*skrattar*' })],
  ])('%s is nothing said', async (_, said) => {
    stub.reply(said);
    expect(await ask(await serve(openAi()), NOISE)).toEqual(answer(''));
  });
});

describe('over speech', () => {
  test.each([
    ['a physician who says thanks', verbose('Tack så mycket.', 0.01, -0.2), 'Tack så mycket.'],
    ['without figures', json(200, { text: 'Thank you.' }), 'Thank you.'],
    ['nej nej nej', json(200, { text: 'Nej, nej, nej.' }), 'Nej, nej, nej.'],
    ['brackets of somebody', json(200, { text: 'Hobby (musik).' }), 'Hobby (musik).'],
    ['a note behind words', json(200, { text: 'Hej. [BLANK_AUDIO]' }), 'Hej.'],
    ['what nobody sees', json(200, { text: 'He\u0000j \u202edu\u202c' }), 'Hej du'],
  ])('%s stays', async (_, said, text) => {
    stub.reply(said);
    expect(await ask(await serve(openAi()), SPEECH)).toEqual(answer(text));
  });

  test.each([
    ['one word for ever', json(200, { text: 'nej '.repeat(400) }), 'nej'],
    ['300 KiB of it', json(200, { text: 'nej '.repeat(77_000) }), 'nej'],
    ['only a note', json(200, { text: '[Musik]' }), ''],
    ['thanks for watching of who knows whom', json(200, { text: 'Thanks for watching!' }), ''],
    [
      'a book',
      json(200, { text: Array.from({ length: 50_000 }, (_, at) => `ord${at}`).join(' ') }),
      '',
    ],
  ])('%s is not all: the audio is kept', async (_, said, text) => {
    stub.reply(said);
    expect(await ask(await serve(openAi()), SPEECH)).toEqual(answer(text, false));
  });
});

describe('the prompt come back', () => {
  const asked = () => stub.calls.map(({ fields }) => fields.prompt);

  test.each([
    ['openai', openAi],
    ['whisper.cpp', whisperCpp],
  ])('%s is asked once more without it', async (_, engine) => {
    stub.reply(json(200, { text: PROMPT }), json(200, { text: 'Patienten mår bra.' }));
    expect(await ask(await serve(engine(PROMPT)), SPEECH)).toEqual(answer('Patienten mår bra.'));
    expect(asked()).toEqual([PROMPT, undefined]);
  });

  test('what was said comes again', async () => {
    stub.reply(json(200, { text: 'Waran, Alvedon, Furix.' }));
    expect(await ask(await serve(openAi(PROMPT)), SPEECH)).toEqual(
      answer('Waran, Alvedon, Furix.'),
    );
    expect(asked()).toEqual([PROMPT, undefined]);
  });

  test('where the second question fails, the rest is marked as not all', async () => {
    stub.reply(json(200, { text: `Pat mår bra. ${PROMPT}` }), json(404, {}));
    expect(await ask(await serve(openAi(PROMPT)), SPEECH)).toEqual(answer('Pat mår bra.', false));
  });

  test('a text without it is asked for once', async () => {
    stub.reply(json(200, { text: 'Alvedon vid behov.' }));
    expect(await ask(await serve(openAi(PROMPT)), SPEECH)).toEqual(answer('Alvedon vid behov.'));
    expect(asked()).toEqual([PROMPT]);
  });
});

describe('the figures', () => {
  test('are asked for whether the language is known or not, and not where they are refused', async () => {
    stub.reply(json(400, {}), json(200, { text: 'Hej' }));
    const at = await serve(openAi());
    expect(await ask(at, SPEECH)).toEqual(answer('Hej'));
    expect(await ask(at, SPEECH, '')).toEqual(answer('Hej'));
    const formats = stub.calls.map(({ fields }) => fields.response_format);
    expect(formats).toEqual(['verbose_json', 'json', 'json']);
  });

  test('of another form are none', async () => {
    const segments = [{ text: 7 }, null];
    stub.reply(json(200, { text: 'Tack.', segments }));
    expect(await ask(await serve(openAi()), SPEECH)).toEqual(answer('Tack.'));
  });
});

describe('whoever asks, and whichever engine', () => {
  test('whisper.cpp', async () => {
    stub.reply(verbose(' Tack för att\n du tittade!\n', 0.9, -0.4));
    expect(await ask(await serve(whisperCpp()), NOISE)).toEqual(answer(''));
  });

  test('the embedded one', async () => {
    const at = await serve(embedded('Thanks for watching! '.repeat(60).trim()));
    expect(await ask(at, SPEECH, 'en')).toEqual(answer('', false));
  });

  test('OpenAI’s address', async () => {
    const at = await serve(embedded('[Music] Hello there. (laughs)'));
    const form = new FormData();
    form.set('file', new File([new Uint8Array(SPEECH)], 'a.wav'));
    form.set('model', 'any');
    const init = { method: 'POST', body: form };
    const response = await fetch(`${at.url}/v1/audio/transcriptions`, init);
    expect(await response.json()).toMatchObject({ text: 'Hello there.' });
  });

  test('realtime', async () => {
    const client = await openRealtime(await serve(embedded('♪ [BLANK_AUDIO]')));
    client.send({
      type: 'session.update',
      session: {
        type: 'transcription',
        audio: { input: { format: { type: 'audio/pcm', rate: 16_000 }, turn_detection: null } },
      },
    });
    client.speak(hiss, true);
    const { transcript } = await client.next(
      'conversation.item.input_audio_transcription.completed',
    );
    expect(transcript).toBe('');
    client.socket.close();
  });
});
