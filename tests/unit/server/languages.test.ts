import { afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../server/config/config.ts';
import { systemClock } from '../../../server/core/system.ts';
import type { TranscriptionEngine } from '../../../server/engine/engine-port.ts';
import { createEngineSet, createEngines } from '../../../server/engine/engine-set.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import { openRealtime, type RealtimeClient } from '../../helpers/realtime-client.ts';
import {
  decoderInProcess,
  postSpeech,
  type RunningServer,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

/** The language headers of Swedish browsers. */
const SWEDISH_CHROME = 'sv-SE,sv;q=0.9,en-US;q=0.8,en;q=0.7';
const SWEDISH_FIREFOX = 'sv-SE,sv;q=0.8,en-US;q=0.5,en;q=0.3';
const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
const SECOND = tone(440, 24_000, 1);
const COMPLETED = 'conversation.item.input_audio_transcription.completed';

let fake: FakeEngine;
let server: RunningServer;
let client: RealtimeClient | null = null;
afterEach(async () => {
  client?.socket.terminate();
  client = null;
  await server.close();
});

/** An engine of these languages; `operatorsDefault` is ASR_DEFAULT_LANGUAGE. */
async function start(
  languages: readonly string[] = ['en'],
  defaultLanguage: string | null = languages[0] ?? null,
  operatorsDefault: string | null = null,
) {
  fake = createFakeEngine('words');
  const engine: TranscriptionEngine = {
    ...fake.engine,
    description: { engine: 'fake', model: 'fake-1', languages, defaultLanguage },
  };
  server = await startServer({
    engine: createEngineSet({ fallback: engine, defaultLanguage: operatorsDefault }),
  });
}

const ask = (language: string | null, accept?: string) =>
  postSpeech(
    server,
    speechForm(WAV, { language }),
    accept === undefined ? {} : { headers: { 'accept-language': accept } },
  );

function askOpenAi(fields: Readonly<Record<string, string>>, accept?: string) {
  const body = new FormData();
  body.set('file', new File([new Uint8Array(WAV)], 'a.wav'));
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const headers: Record<string, string> = accept === undefined ? {} : { 'accept-language': accept };
  return readJson(
    fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', body, headers }),
  );
}

const refusal = { status: 422, body: { error: { code: 'language_not_supported' } } };
const heardAs = (language: string) => ({ status: 200, body: { language } });

describe('a browser that asks for no language', () => {
  test.each([SWEDISH_CHROME, SWEDISH_FIREFOX, 'sv', 'SV-se', 'sv;q=1, *;q=0.5', 'fi,sv,en'])(
    'with %s is refused where there is only English, on each address',
    async (accept) => {
      await start();
      for (const language of ['', 'auto', null]) {
        expect(await ask(language, accept)).toMatchObject(refusal);
      }
      expect(await askOpenAi({}, accept)).toMatchObject(refusal);
      expect(fake.calls).toHaveLength(0);
    },
  );

  test('is told which language was meant, and what there is', async () => {
    await start();
    const { body } = await ask('', SWEDISH_CHROME);
    expect(body.error?.message).toBe(
      'The engine fake (fake-1) does not know the language sv, the first in Accept-Language. It knows: en.',
    );
  });

  test('gets its own language where the server has it', async () => {
    await start(['en', 'sv', 'no']);
    expect(await ask('', SWEDISH_CHROME)).toMatchObject(heardAs('sv'));
    expect(await ask('', 'nb-NO,nb;q=0.9,no;q=0.8,nn;q=0.7,en;q=0.5')).toMatchObject(heardAs('no'));
    expect(await ask('', 'en;q=0.5, sv;q=0.9')).toMatchObject(heardAs('sv'));
    expect(await ask('', 'en-GB,sv;q=0.5')).toMatchObject(heardAs('en'));
    expect(await ask('sv-SE', 'en')).toMatchObject(heardAs('sv'));
  });

  test.each([undefined, '*', '', '*;q=0.5', 'sv;q=0', ';;,,', 'sv;q=0.1,*'])(
    'and a program with Accept-Language %j gets the default',
    async (accept) => {
      await start();
      expect(await ask('', accept)).toMatchObject(heardAs('en'));
      expect(await askOpenAi({}, accept)).toMatchObject({ status: 200, body: { text: 'words' } });
    },
  );

  test('leaves it to an engine that finds out itself, unless that lacks the language', async () => {
    await start(['en', 'sv', 'de'], null);
    expect(await ask('', SWEDISH_CHROME)).toMatchObject(heardAs(''));
    expect(await ask('', 'is,en;q=0.5')).toMatchObject(refusal);
  });

  test("gets the operator's language where one was chosen", async () => {
    await start(['sv', 'en'], 'sv', 'sv');
    expect(await ask('', 'en-US,en')).toMatchObject(heardAs('sv'));
    expect(await ask('', 'is')).toMatchObject(heardAs('sv'));
    const chosen = (env: Record<string, string>) =>
      createEngines(readConfig(env, 1).engines, {
        fetch: globalThis.fetch,
        clock: systemClock,
        random: Math.random,
        transformers: () => fake.engine,
        embedded: () => fake.engine,
      }).description;
    expect(chosen({ ASR_DEFAULT_LANGUAGE: 'en' }).followsBrowser).toBe(false);
    expect(chosen({}).followsBrowser).toBe(true);
  });
});

describe('how a language may be written', () => {
  test.each([
    ['sv', 'sv'],
    ['SV', 'sv'],
    ['sv-SE', 'sv'],
    ['sv_SE', 'sv'],
    ['sv_SE.UTF-8', 'sv'],
    [' sv ', 'sv'],
    ['swe', 'sv'],
    ['Swedish', 'sv'],
    ['svenska', 'sv'],
    ['en_US', 'en'],
    ['English', 'en'],
    ['eng', 'en'],
    ['nb-NO', 'no'],
    ['norwegian', 'no'],
    ['tl', 'tl'],
    ['fil', 'tl'],
    ['auto', 'en'],
    ['und', 'en'],
    ['null', 'en'],
    ['undefined', 'en'],
    ['', 'en'],
  ])('%j is %s, on both addresses', async (given, language) => {
    await start(['en', 'sv', 'no', 'tl']);
    expect(await ask(given)).toMatchObject(heardAs(language));
    await askOpenAi({ language: given });
    expect(fake.calls.map((call) => call.language)).toEqual([language, language]);
  });

  test.each([
    ['sv', 422],
    ['sv_SE', 422],
    ['Swedish', 422],
    ['svenska', 422],
    ['Svenska', 422],
    ['swe', 422],
    ['klingon', 422],
    ['mul', 422],
    ['svenska!', 400],
    ['en,sv', 400],
    ['-', 400],
  ])('%j is refused with %i where there is only English, on both', async (given, status) => {
    await start();
    expect((await ask(given)).status).toBe(status);
    expect((await askOpenAi({ language: given })).status).toBe(status);
    expect(fake.calls).toHaveLength(0);
  });
});

describe('an engine that comes and goes while a recording waits', () => {
  /** Swedish by an engine of its own, beside one of `languages` that each call has to wait for. */
  async function startBoth(languages: readonly string[], isOffered: () => boolean) {
    fake = createFakeEngine(null);
    const swedish = createFakeEngine('svenska', 'sv');
    const description = { engine: 'fake', model: 'fake-1', languages, defaultLanguage: 'en' };
    const engine = createEngineSet({
      byLanguage: new Map([['sv', { ...swedish.engine, isOffered }]]),
      fallback: { ...fake.engine, description },
    });
    const decoder = { ...decoderInProcess };
    server = await startServer({ engine, decoder, limits: { concurrency: 1 } });
    return { swedish, decoder };
  }

  test('nobody else writes its language: its model is cancelled, and the recording is kept', async () => {
    let isOffered = true;
    const { swedish } = await startBoth(['en'], () => isOffered);
    const english = ask('en');
    await expect.poll(() => fake.calls.length).toBe(1);
    let isAnswered = false;
    const waiting = ask('sv').finally(() => {
      isAnswered = true;
    });
    const queue = async () => (await readJson(fetch(`${server.url}/api/health`))).body.queue;
    await expect.poll(queue).toMatchObject({ waiting: 1 });
    isOffered = false;
    swedish.set({ kind: 'failed', reason: 'its model is not here' });
    fake.calls[0]?.answer('english');
    expect(await english).toMatchObject({ status: 200, body: { transcription: 'english' } });
    await expect.poll(() => isAnswered || fake.calls.length > 1).toBe(true);
    fake.calls[1]?.answer('english for swedish');
    expect(await waiting).toMatchObject({
      status: 503,
      body: { error: { code: 'engine_failed' } },
    });
  });

  test('who began a recording ends it, and is named in its answer', async () => {
    let isOffered = false;
    const { swedish, decoder } = await startBoth(['en', 'sv'], () => isOffered);
    swedish.set({ kind: 'loading', share: 0 });
    decoder.decode = async (file, maxAudioMs, ...more) => {
      isOffered = true;
      return decoderInProcess.decode(file, maxAudioMs, ...more);
    };
    const answer = ask('sv');
    await expect.poll(() => fake.calls.length + swedish.calls.length).toBe(1);
    fake.calls[0]?.answer('svenska');
    expect(await answer).toMatchObject({ status: 200, body: { engine: 'fake', language: 'sv' } });
    expect(swedish.calls).toHaveLength(0);
  });
});

describe('/v1/realtime writes no other language than the one asked for', () => {
  type Update = Readonly<Record<string, unknown>>;
  const update = (session: object): Update => ({ type: 'session.update', session });
  const older = (session: object): Update => ({ type: 'transcription_session.update', session });
  const input = (fields: object) => update({ type: 'transcription', audio: { input: fields } });
  const open = async (options: Parameters<typeof openRealtime>[1] = {}) => {
    client = await openRealtime(server, options);
    return client;
  };
  const problem = async (to: RealtimeClient) => (await to.next('error')).error;

  const REFUSED: readonly (readonly [string, string, Update])[] = [
    ['Swedish', 'language_not_supported', input({ transcription: { language: 'sv' } })],
    [
      'Swedish in the older form',
      'language_not_supported',
      older({ input_audio_transcription: { language: 'sv' } }),
    ],
    [
      'Swedish in the older fields of session.update',
      'language_not_supported',
      update({ input_audio_format: 'pcm16', input_audio_transcription: { language: 'sv' } }),
    ],
    [
      "Swedish in today's fields of the older update",
      'language_not_supported',
      older({ audio: { input: { transcription: { language: 'Swedish' } } } }),
    ],
    ['Swedish where no language is read', 'field_invalid', update({ language: 'sv' })],
    [
      'Swedish beside the transcription',
      'field_invalid',
      input({ language: 'sv', transcription: { model: 'm' } }),
    ],
    [
      'two languages in two forms',
      'field_invalid',
      update({
        input_audio_transcription: { language: 'sv' },
        audio: { input: { transcription: { language: 'en' } } },
      }),
    ],
    [
      'turns in a way unknown here',
      'turn_detection_not_supported',
      input({ turn_detection: { type: 'mind_reading' } }),
    ],
    [
      'turns in a way unknown here, and 16 kHz',
      'turn_detection_not_supported',
      input({
        format: { type: 'audio/pcm', rate: 16_000 },
        turn_detection: { type: 'mind_reading' },
      }),
    ],
    [
      'turns in a way unknown here in the older fields',
      'turn_detection_not_supported',
      update({ turn_detection: { type: 'mind_reading' } }),
    ],
    [
      'turns in a way unknown here in the older form',
      'turn_detection_not_supported',
      older({ turn_detection: { type: 'mind_reading' } }),
    ],
    ['g711 in the older fields', 'audio_format', update({ input_audio_format: 'g711_ulaw' })],
    ['g711 in the older form', 'audio_format', older({ input_audio_format: 'g711_alaw' })],
    ['g711', 'audio_format', input({ format: { type: 'audio/pcmu' } })],
  ];
  const ACCEPTED = input({
    format: { type: 'audio/pcm', rate: 24_000 },
    transcription: { language: 'en' },
    turn_detection: null,
  });

  test.each(REFUSED)('%s: %s, nothing is heard until an update is accepted', async (...of) => {
    const [, code, event] = of;
    await start();
    const speaker = await open();
    speaker.speak(SECOND);
    speaker.send(event);
    expect(await problem(speaker)).toMatchObject({ code });
    for (const eventId of ['first', 'second']) {
      speaker.speak(SECOND);
      speaker.send({ type: 'input_audio_buffer.commit', event_id: eventId });
      expect(await problem(speaker)).toMatchObject({ code, event_id: eventId });
    }
    speaker.send(ACCEPTED);
    await speaker.next('session.updated');
    speaker.speak(SECOND, true);
    expect((await speaker.next(COMPLETED)).transcript).toBe('words');
    expect(fake.calls.map(({ samples }) => samples.length)).toEqual([16_000]);
    expect(speaker.events.filter(({ type }) => type === 'error')).toHaveLength(3);
  });

  test('who never commits is told again and again, and not cut off with too much audio', async () => {
    await start(['en']);
    const speaker = await open();
    speaker.send(input({ turn_detection: { type: 'mind_reading' } }));
    for (let sent = 0; sent < 100; sent++) speaker.speak(SECOND.subarray(0, 2_400));
    speaker.send({ type: 'input_audio_buffer.clear' });
    await speaker.next('input_audio_buffer.cleared');
    const codes = speaker.events.filter(({ type }) => type === 'error').map(({ error }) => error);
    expect(codes).toHaveLength(6);
    for (const error of codes) expect(error?.code).toBe('turn_detection_not_supported');
  });

  test('an update that leaves out what was refused does not bring it back', async () => {
    await start();
    const speaker = await open();
    speaker.send(
      input({
        format: { type: 'audio/pcm', rate: 16_000 },
        transcription: { language: 'sv' },
        turn_detection: { type: 'mind_reading' },
      }),
    );
    await problem(speaker);
    for (const partial of [
      input({ turn_detection: null }),
      input({ turn_detection: null, transcription: { language: 'en' } }),
      update({}),
    ]) {
      speaker.send(partial);
      expect(await problem(speaker)).toMatchObject({ code: 'field_invalid' });
      speaker.speak(SECOND, true);
      expect(await problem(speaker)).toMatchObject({ code: 'field_invalid' });
    }
    speaker.send(
      input({
        format: { type: 'audio/pcm', rate: 16_000 },
        transcription: { language: 'en' },
        turn_detection: null,
      }),
    );
    await speaker.next('session.updated');
    speaker.speak(tone(440, 16_000, 1), true);
    await speaker.next(COMPLETED);
    expect(fake.calls.map(({ samples }) => samples.length)).toEqual([16_000]);
  });

  test('nothing of a refused update is set', async () => {
    await start(['en', 'sv']);
    const speaker = await open();
    speaker.send(
      input({ transcription: { language: 'sv', model: 'mine' }, turn_detection: { type: 'x' } }),
    );
    await problem(speaker);
    speaker.send(input({ transcription: { language: '' } }));
    expect(await speaker.next('session.updated')).toMatchObject({
      session: { audio: { input: { transcription: { model: '', language: '', prompt: '' } } } },
    });
  });

  test('the older fields count inside of session.update', async () => {
    await start(['en', 'sv']);
    const speaker = await open();
    speaker.send(
      update({ input_audio_format: 'pcm16', input_audio_transcription: { language: 'sv' } }),
    );
    await speaker.next('session.updated');
    speaker.speak(SECOND, true);
    await speaker.next(COMPLETED);
    expect(fake.calls[0]?.language).toBe('sv');
  });

  test.each<[string, Parameters<typeof openRealtime>[1]]>([
    [
      'a Swedish browser that names no language',
      { headers: { 'accept-language': SWEDISH_CHROME } },
    ],
    ['an address with Swedish in it', { query: '?intent=transcription&language=sv' }],
  ])('%s is told so, until it names one that is there', async (_, options) => {
    await start();
    const speaker = await open(options);
    speaker.speak(SECOND);
    expect(await problem(speaker)).toMatchObject({ code: 'language_not_supported' });
    speaker.send({ type: 'input_audio_buffer.commit' });
    expect(await problem(speaker)).toMatchObject({ code: 'language_not_supported' });
    speaker.send(input({ transcription: { language: 'en' } }));
    await speaker.next('session.updated');
    speaker.speak(SECOND, true);
    expect((await speaker.next(COMPLETED)).transcript).toBe('words');
    expect(fake.calls.map((call) => call.language)).toEqual(['en']);
  });

  test('a Swedish browser is heard in Swedish where that is there', async () => {
    await start(['en', 'sv']);
    const speaker = await open({ headers: { 'accept-language': SWEDISH_CHROME } });
    speaker.speak(SECOND, true);
    await speaker.next(COMPLETED);
    expect(fake.calls[0]?.language).toBe('sv');
  });
});
