import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../server/core/system.ts';
import { EngineEnded, type RunningRecogniser } from '../../../../server/engine/engine-port.ts';
import { type EnginePlan, startEngineProcess } from '../../../../server/engine/engine-process.ts';
import { createEngineSet } from '../../../../server/engine/engine-set.ts';
import { folderOf } from '../../../../server/models/layout/model-folder.ts';
import {
  createLocalEngine,
  type LocalEnginePorts,
  type ModelProgress,
} from '../../../../server/models/local-engine.ts';
import { createFakeClock } from '../../../helpers/fake-clock.ts';
import { createFakeEngine } from '../../../helpers/fake-engine.ts';
import { startFileServer } from '../../../helpers/file-server.ts';
import { type MadeModel, madeFiles, madeModel } from '../../../helpers/made-model.ts';
import {
  type AnswerBody,
  postSpeech,
  speechForm,
  startServer,
} from '../../../helpers/running-server.ts';
import { tone, waveFile } from '../../../helpers/wave-file.ts';

const WAV = waveFile(16_000, tone(440, 48_000, 0.5));
const WISH = { language: 'sv', fast: false };
const never = new AbortController().signal;
const speech = (seconds: number) =>
  new Float32Array(seconds * 16_000).map((_, at) => 0.3 * Math.sin(at / 7));

async function scene(more: Partial<LocalEnginePorts> = {}, made: MadeModel = madeModel()) {
  const files = await startFileServer(made.files);
  const modelsRoot = await mkdtemp(join(tmpdir(), 'diktera-models-'));
  const steps: ModelProgress['kind'][] = [];
  const failures: string[] = [];
  const ports: LocalEnginePorts = {
    model: made.model,
    modelsRoot,
    sources: [{ kind: 'hub', address: files.address }],
    env: {},
    room: { freeDiskBytes: async () => 1e12, memoryBytes: () => 1e12 },
    pause: async () => undefined,
    isWanted: true,
    threads: 1,
    launch: (plan) => startEngineProcess(plan),
    clock: systemClock,
    onProgress: ({ kind }) => void (steps.at(-1) !== kind && steps.push(kind)),
    onFailure: (error) => failures.push(error.message),
    ...more,
  };
  const make = (extra: Partial<LocalEnginePorts> = {}) => {
    const engine = createLocalEngine({ ...ports, ...extra });
    onTestFinished(() => engine.dispose?.());
    return engine;
  };
  onTestFinished(() => rm(modelsRoot, { recursive: true, force: true }));
  return { make, files, modelsRoot, steps, failures, model: made.model };
}

/** Engines that answer by the words of a function, or end. */
function scripted(answer: (plan: EnginePlan, at: number) => string | null) {
  const plans: EnginePlan[] = [];
  const running: { end(): void }[] = [];
  const launch = (plan: EnginePlan): RunningRecogniser => {
    const at = plans.push(plan) - 1;
    let tellEnd: (reason: EngineEnded) => void = () => undefined;
    const ended = new Promise<EngineEnded>((resolve) => {
      tellEnd = resolve;
    });
    const end = () => tellEnd(new EngineEnded('the engine ended: SIGABRT'));
    running.push({ end });
    const gone = ended.then((reason) => Promise.reject(reason));
    gone.catch(() => undefined);
    return {
      ready: Promise.resolve(),
      ended,
      end,
      recognise: () => {
        const text = answer(plan, at);
        if (text === null) end();
        return text === null ? gone : Promise.resolve({ text });
      },
    };
  };
  return { launch, plans, running };
}

const precisions = (plans: readonly EnginePlan[]) =>
  plans.map((plan) => (plan.kind === 'transducer' ? plan.source.precision : plan.kind));

test('from nothing to words: fetched, converted, tried, asked; the next start finds it all', async () => {
  const { make, steps, files } = await scene();
  const engine = make();
  expect(engine.state()).toEqual({ kind: 'loading', share: 0 });
  await engine.start();
  expect(steps).toEqual(['fetching', 'converting', 'trying', 'ready']);
  expect(engine.state()).toEqual({ kind: 'ready' });
  const { text } = await engine.transcribe(speech(6), WISH, never);
  expect(text).toMatch(/^w\d+( w\d+)+$/);
  await engine.dispose?.();

  steps.length = 0;
  const again = make({ isWanted: false });
  await again.start();
  expect(steps).toEqual(['ready']);
  expect((await again.transcribe(speech(6), WISH, never)).text).toBe(text);
  expect(files.asked).toHaveLength(3);
});

test('silence never reaches the model, and long speech does in pieces of at most 25 s', async () => {
  const heard: number[] = [];
  const { launch } = scripted(() => 'ord');
  const { make } = await scene({
    launch: (plan) => {
      const engine = launch(plan);
      return {
        ...engine,
        recognise: (samples, language) => {
          heard.push(samples.length / 16_000);
          return engine.recognise(samples, language);
        },
      };
    },
  });
  const engine = make();
  await engine.start();
  heard.length = 0;
  const quiet = new Float32Array(16_000 * 5).fill(1e-5);
  expect((await engine.transcribe(quiet, WISH, never)).text).toBe('');
  expect(heard).toEqual([]);
  expect((await engine.transcribe(speech(60), WISH, never)).text).toMatch(/^ord( ord)+$/);
  expect(Math.max(...heard)).toBeLessThanOrEqual(25);
  heard.length = 0;
  await engine.transcribe(
    speech(1).map((sample) => sample / 300),
    WISH,
    never,
  );
  expect(heard).toEqual([2]);
});

describe('the first load', () => {
  test('a model that ends the engine is put aside with its reason, and stays so', async () => {
    const broken = new Map(madeFiles());
    broken.set('encoder.onnx', Buffer.from('no model at all'));
    const { make, steps } = await scene({}, madeModel({}, broken));
    const engine = make();
    await engine.start();
    expect(steps.at(-1)).toBe('quarantined');
    expect(engine.state()).toMatchObject({ kind: 'failed', reason: /ended|could not be loaded/ });
    steps.length = 0;
    await make({ launch: () => expect.fail('it was tried again') }).start();
    expect(steps).toEqual(['quarantined']);
  });

  test('until it is asked for anew', async () => {
    const { launch, plans } = scripted((_plan, at) => (at < 2 ? null : 'ord'));
    const { make, steps } = await scene({ launch });
    const engine = make();
    await engine.start();
    expect(steps.at(-1)).toBe('quarantined');
    engine.fetch();
    await expect.poll(() => engine.state().kind).toBe('ready');
    expect(precisions(plans).slice(0, 2)).toEqual(['plain', 'exact']);
  });

  const SAID = 'Patienten har haft feber i tre dagar och behöver vila.';
  test.each([
    ['hears the words', { plain: SAID, exact: '' }, 'plain', ['plain']],
    ['writes nothing plainly', { plain: '', exact: SAID }, 'exact', ['plain', 'exact']],
    ['ends plainly', { plain: null, exact: 'annat' }, 'exact', ['plain', 'exact']],
    ['writes nonsense plainly', { plain: 'xx', exact: SAID }, 'exact', ['plain', 'exact']],
    ['is as bad both ways', { plain: 'xx', exact: 'yy' }, 'plain', ['plain', 'exact']],
  ] as const)('a processor on which it %s', async (_name, answers, chosen, tried) => {
    const { launch, plans } = scripted((plan) =>
      plan.kind === 'transducer' ? answers[plan.source.precision] : null,
    );
    const { make } = await scene({ launch });
    await make().start();
    expect(precisions(plans)).toEqual([...tried, chosen]);
    await make().start();
    expect(precisions(plans).slice(tried.length + 1)).toEqual([chosen]);
  });

  test('a trial from another processor does not count', async () => {
    const { launch, plans } = scripted(() => SAID);
    const { make, modelsRoot, model } = await scene({ launch });
    await make().start();
    const { trial } = folderOf(modelsRoot, model);
    const kept = JSON.parse(await readFile(trial, 'utf8')) as object;
    await writeFile(trial, JSON.stringify({ ...kept, processor: 'another', precision: 'exact' }));
    await make().start();
    expect(precisions(plans)).toEqual(['plain', 'plain', 'plain', 'plain']);
  });
});

test('one that ends again and again is out after three restarts in ten minutes', async () => {
  const { launch, running, plans } = scripted(() => 'Patienten har haft feber i tre dagar och');
  const clock = createFakeClock();
  const { make } = await scene({ launch, clock });
  const engine = make();
  await engine.start();
  const started = plans.length;
  for (let ends = 1; ends <= 3; ends++) {
    running.at(-1)?.end();
    await expect.poll(() => plans.length).toBe(started + ends);
    await expect.poll(() => engine.state().kind).toBe('ready');
  }
  running.at(-1)?.end();
  await expect
    .poll(() => engine.state())
    .toEqual({ kind: 'failed', reason: 'the engine ends again and again' });
  await clock.advance(120_000);
  expect(plans).toHaveLength(started + 3);
});

test('one that ends now and then goes on for ever', async () => {
  const { launch, running, plans } = scripted(() => 'Patienten har haft feber i tre dagar och');
  const clock = createFakeClock();
  const { make } = await scene({ launch, clock });
  const engine = make();
  await engine.start();
  const started = plans.length;
  for (let ends = 1; ends <= 8; ends++) {
    running.at(-1)?.end();
    await expect.poll(() => plans.length).toBe(started + ends);
    await expect.poll(() => engine.state().kind).toBe('ready');
    await clock.advance(250_000);
  }
});

test('what cannot be cut is said with the other way, and stays out', async () => {
  const { make, steps } = await scene({}, madeModel({}, madeFiles('two-seams')));
  const engine = make();
  await engine.start();
  expect(steps.at(-1)).toBe('quarantined');
  expect(engine.state()).toMatchObject({
    reason: expect.stringContaining('ASR_ROUTES=sv=transformers'),
  });
});

test('how long nothing has come of a download is told, until it is over', async () => {
  const clock = createFakeClock();
  const { make, files } = await scene({ isWanted: false, clock });
  const engine = make();
  await engine.start();
  expect(engine.stillMs()).toBeNull();
  files.misbehave({ kind: 'hangs', afterBytes: 10_000 });
  engine.fetch();
  const doneBytes = () => Object(engine.progress()).doneBytes;
  await expect.poll(doneBytes).toBeGreaterThan(10_000);
  expect(engine.stillMs()).toBe(0);
  await clock.advance(7_000);
  expect(engine.stillMs()).toBe(7_000);
  engine.pause();
  await expect.poll(() => engine.progress().kind).toBe('paused');
  expect(engine.stillMs()).toBeNull();
});

test('what is asked for is said at once, and of quick presses the last counts', async () => {
  const { make, files } = await scene({ isWanted: false });
  const engine = make();
  await engine.start();
  files.misbehave({ kind: 'hangs', afterBytes: 10_000 });
  engine.fetch();
  expect(engine.progress()).toEqual({ kind: 'fetching', doneBytes: 0 });
  engine.fetch();
  engine.pause();
  await expect.poll(() => engine.progress().kind).toBe('paused');

  engine.fetch();
  await expect.poll(() => files.asked.length).toBeGreaterThan(0);
  const asked = files.asked.length;
  engine.pause();
  engine.fetch();
  expect(engine.progress().kind).toBe('fetching');
  await expect.poll(() => files.asked.length).toBeGreaterThan(asked);
  expect(engine.progress().kind).toBe('fetching');

  await engine.cancel();
  expect(engine.progress()).toEqual({ kind: 'absent' });
  files.misbehave(null);
  engine.fetch();
  await expect.poll(() => engine.progress().kind, { timeout: 20_000 }).toBe('ready');
});

test('a failed download is said, and asked for again it goes on', async () => {
  const { make, files, failures } = await scene();
  files.misbehave({ kind: 'status', status: 404 });
  const engine = make();
  await engine.start();
  expect(engine.progress()).toMatchObject({ kind: 'failed', reason: /answers 404/ });
  expect(failures).toHaveLength(1);
  files.misbehave(null);
  engine.fetch();
  await expect.poll(() => engine.state().kind).toBe('ready');
});

async function servedScene(fetchers: 'loopback' | 'callers' | 'nobody', isWanted = false) {
  const { make, files, model } = await scene();
  const swedish = make({ isWanted });
  const engine = createEngineSet({
    byLanguage: new Map([['sv', swedish]]),
    fallback: createFakeEngine('english').engine,
  });
  const server = await startServer({ engine, models: { engines: [swedish], fetchers } });
  onTestFinished(() => server.close());
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; body: { token: string | null; models: { state: string }[] } }>(
      (resolve, reject) => {
        const sent = request(`${server.url}${path}`, { method, headers }, async (answer) => {
          const pieces: Buffer[] = [];
          for await (const piece of answer) pieces.push(piece as Buffer);
          const body = JSON.parse(Buffer.concat(pieces).toString());
          resolve({ status: answer.statusCode ?? 0, body });
        });
        sent.on('error', reject);
        sent.end();
      },
    );
  const health = async () => (await fetch(`${server.url}/api/health`)).json();
  return { server, swedish, files, ask, health, model };
}

describe('on a server', () => {
  test('English answers while Swedish comes, which gets 503 with the share', async () => {
    const { server, files, swedish, health } = await servedScene('loopback', true);
    files.misbehave({ kind: 'hangs', afterBytes: 100 }, 1);
    await expect.poll(() => swedish.progress().kind).toBe('fetching');
    const refused = await postSpeech(server, speechForm(WAV, { language: 'sv' }));
    if (refused.status === 503) {
      expect(refused.body.error).toMatchObject({
        code: 'engine_loading',
        share: expect.any(Number),
      });
      expect(refused.headers.get('retry-after')).toBe('10');
    }
    expect(refused.status).toBe(503);
    const english = await postSpeech(server, speechForm(WAV, { language: 'en' }));
    expect(english.body.transcription).toBe('english');
    expect((await health()).models[0]).toMatchObject({ id: 'made-sv', state: 'fetching' });
  });

  test('what is not here and not wanted is not offered, until a page has it fetched', async () => {
    const { server, ask, health, model } = await servedScene('loopback');
    expect((await postSpeech(server, speechForm(WAV, { language: 'sv' }))).status).toBe(422);
    expect((await health()).languages).toEqual(['en']);
    const { body } = await ask('GET', '/api/models');
    expect(body.models[0]).toMatchObject({ state: 'absent', attribution: 'made for tests' });
    const headers = { 'x-diktera-models': body.token ?? '' };
    expect((await ask('POST', `/api/models/${model.id}/fetch`, headers)).status).toBe(200);
    await expect.poll(async () => (await health()).models[0].state).toBe('ready');
    expect((await health()).languages).toEqual(['en', 'sv']);
    const { status, body: answer } = await postSpeech(server, speechForm(WAV, { language: 'sv' }));
    expect([status, answer.model]).toEqual([200, 'made-sv']);
  });

  test('the page pauses, goes on and cancels', async () => {
    const { ask, files, swedish, model } = await servedScene('loopback');
    const { token } = (await ask('GET', '/api/models')).body;
    const post = (action: string) =>
      ask('POST', `/api/models/${model.id}/${action}`, { 'x-diktera-models': token ?? '' });
    files.misbehave({ kind: 'hangs', afterBytes: 100 });
    await post('fetch');
    await expect.poll(() => swedish.progress()).toEqual({ kind: 'fetching', doneBytes: 100 });
    await post('pause');
    await expect.poll(() => swedish.progress()).toEqual({ kind: 'paused', doneBytes: 100 });
    await post('fetch');
    await expect.poll(() => files.asked.at(-1)).toContain('bytes=100-');
    expect((await post('cancel')).body.models[0]?.state).toBe('absent');
    expect((await post('dance')).status).toBe(404);
  });

  test.each([
    ['without the token', {}, 'loopback', 403],
    ['with another token', { 'x-diktera-models': 'guessed' }, 'loopback', 403],
    ['from another site', { origin: 'https://evil.example' }, 'loopback', 403],
    ['from another site, as the browser says', { 'sec-fetch-site': 'cross-site' }, 'loopback', 403],
    ['through a proxy on this machine', { 'x-forwarded-for': '1.2.3.4' }, 'loopback', 403],
    ['by a name that is not this machine', { host: '10.0.0.1' }, 'loopback', 403],
    ['where nobody may', {}, 'nobody', 403],
    ['through a proxy, where callers may', { 'x-forwarded-for': '1.2.3.4' }, 'callers', 200],
  ] as const)('a fetch %s', async (name, headers, fetchers, expected) => {
    const { ask, swedish, model } = await servedScene(fetchers);
    const { token } = (await ask('GET', '/api/models')).body;
    expect(token === null).toBe(fetchers === 'nobody');
    const own = name === 'without the token' ? {} : { 'x-diktera-models': token ?? 'none' };
    const path = `/api/models/${model.id}/fetch`;
    expect((await ask('POST', path, { ...own, ...headers })).status).toBe(expected);
    if (expected === 403) {
      expect(swedish.progress()).toEqual({ kind: 'absent' });
      const seen = await ask('GET', '/api/models', headers);
      if (seen.status === 200 && 'x-forwarded-for' in headers) expect(seen.body.token).toBeNull();
    }
  });

  test("an empty language is the browser's first, or none that is written", async () => {
    const { server, ask, health, model } = await servedScene('loopback');
    const post = async (accept: string) => {
      const body = speechForm(WAV, { language: '' });
      const headers = { 'accept-language': accept };
      const answer = await fetch(`${server.url}/api/asr/vad`, { method: 'POST', body, headers });
      const { language, error } = (await answer.json()) as AnswerBody;
      return language ?? error?.code;
    };
    const refused = 'language_not_supported';
    expect(await post('sv-SE,sv;q=0.9')).toBe(refused);
    expect(await post('*')).toBe('en');
    const { token } = (await ask('GET', '/api/models')).body;
    await ask('POST', `/api/models/${model.id}/fetch`, { 'x-diktera-models': token ?? '' });
    await expect.poll(async () => (await health()).models[0].state).toBe('ready');
    expect(await post('sv-SE,sv;q=0.9,en;q=0.8')).toBe('sv');
    expect(await post('fi, en;q=0.5, sv;q=0.9')).toBe(refused);
    expect(await post('en-GB,sv;q=0.5')).toBe('en');
    expect(await post('de')).toBe(refused);
    expect(await post('sv;q=0, *;;,,')).toBe('en');
  });
});
