import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { decodeAudio } from '../../../server/audio/decode-audio.ts';
import {
  compileKernel,
  createHalver,
  createTurnFinder,
  type SpeechKernel,
} from '../../../server/realtime/turn-finder.ts';
import { buildKernel } from '../../../tools/build-kernel.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  base64Of,
  openRealtime,
  type RealtimeClient,
  WithoutTls,
} from '../../helpers/realtime-client.ts';
import { fixture, type RunningServer, startServer } from '../../helpers/running-server.ts';
import { tone } from '../../helpers/wave-file.ts';

const COMPLETED = 'conversation.item.input_audio_transcription.completed';
const FAILED = 'conversation.item.input_audio_transcription.failed';
const STARTED = 'input_audio_buffer.speech_started';
const STOPPED = 'input_audio_buffer.speech_stopped';
const COMMITTED = 'input_audio_buffer.committed';

let kernel: SpeechKernel;
/** A sentence of 4.4 s of 16 kHz. */
let sentence: Float32Array;
beforeAll(async () => {
  kernel = compileKernel(await buildKernel());
  sentence = (await decodeAudio(fixture('speech-en.wav'), 60_000)).samples;
}, 120_000);

let fake: FakeEngine;
let server: RunningServer;
let client: RealtimeClient | null = null;
afterEach(async () => {
  client?.socket.terminate();
  client = null;
  await server?.close();
});
async function start(limits: Parameters<typeof startServer>[0]['limits'] = {}) {
  fake = createFakeEngine('words');
  server = await startServer({ engine: fake.engine, kernel, limits });
}
async function open() {
  client = await openRealtime(server);
  return client;
}

function joined(...parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
const quiet = (seconds: number, rateHz = 16_000) => new Float32Array(seconds * rateHz);

/** By straight lines: for 24 kHz out of 16 it is good enough to be heard as speech. */
function at24k(samples: Float32Array): Float32Array {
  return Float32Array.from({ length: Math.floor((samples.length * 3) / 2) - 2 }, (_, n) => {
    const [from, part] = [Math.floor((n * 2) / 3), ((n * 2) / 3) % 1];
    return samples[from]! * (1 - part) + samples[from + 1]! * part;
  });
}

const input = (fields: object) => ({
  type: 'session.update',
  session: { type: 'transcription', audio: { input: fields } },
});
const AT_16K = { format: { type: 'audio/pcm', rate: 16_000 } };

/** Sends in pieces of an odd size, as a microphone's program does. */
function speakIn(pieces: number, samples: Float32Array, to: RealtimeClient) {
  for (let at = 0; at < samples.length; at += pieces) to.speak(samples.subarray(at, at + pieces));
}

test('two sentences are two items, each with all that was said in it', async () => {
  await start();
  const c = await open();
  c.send(input({ ...AT_16K, turn_detection: { type: 'server_vad', silence_duration_ms: 600 } }));
  expect(await c.next('session.updated')).toMatchObject({
    session: {
      audio: {
        input: {
          turn_detection: {
            ...{ type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300 },
            silence_duration_ms: 600,
          },
        },
      },
    },
  });
  speakIn(1_237, joined(quiet(2), sentence, quiet(2), sentence, quiet(2)), c);
  const starts = [await c.next(STARTED), await c.next(STARTED)];
  const stops = [await c.next(STOPPED), await c.next(STOPPED)];
  const items = [await c.next(COMMITTED), await c.next(COMMITTED)];
  for (const [at, fromMs] of [2_000, 8_437].entries()) {
    expect(starts[at]!.audio_start_ms).toBeGreaterThan(fromMs - 600);
    expect(starts[at]!.audio_start_ms).toBeLessThan(fromMs + 50);
    expect(stops[at]!.audio_end_ms).toBeGreaterThan(fromMs + 4_300);
    expect(stops[at]!.audio_end_ms).toBeLessThan(fromMs + 5_500);
    const ids = [starts[at]!.item_id, stops[at]!.item_id, items[at]!.item_id];
    expect(new Set(ids).size).toBe(1);
  }
  expect(items[1]!.previous_item_id).toBe(items[0]!.item_id);
  for (const item of items) {
    const done = await c.next(COMPLETED);
    expect(items.map(({ item_id }) => item_id)).toContain(done.item_id);
    expect(done.transcript).toBe('words');
    expect(item.item_id).toMatch(/^item_/);
  }
  for (const { samples } of fake.calls) {
    expect(holds(samples, sentence)).toBe(true);
    expect(samples.length / 16_000).toBeLessThan(6.5);
  }
});

/** True if `part` is in `whole` sample for sample, as 16 bits have them. */
function holds(whole: Float32Array, part: Float32Array): boolean {
  const loud = part.subarray(4_000, 60_000);
  const at = Array.from({ length: whole.length - loud.length }, (_, from) => from).find((from) =>
    [0, 9_999, 30_001, 55_000].every((n) => Math.abs(whole[from + n]! - loud[n]!) < 1e-3),
  );
  return at !== undefined;
}

test('at 24 kHz, with words up to the end of the connection committed by hand', async () => {
  await start();
  const c = await open();
  c.send(input({ turn_detection: { type: 'server_vad' } }));
  speakIn(2_399, at24k(joined(quiet(1), sentence, quiet(1.5), sentence)), c);
  await c.next(STARTED);
  await c.next(COMMITTED);
  await c.next(STARTED);
  c.send({ type: 'input_audio_buffer.commit' });
  await c.next(COMMITTED);
  expect((await c.next(COMPLETED)).transcript).toBe('words');
  expect((await c.next(COMPLETED)).transcript).toBe('words');
  for (const { samples } of fake.calls) expect(samples.length / 16_000).toBeGreaterThan(4.4);
});

test('quiet and noise of no voice begin no turn, and take no memory', async () => {
  await start({ maxHeldBytes: 400_000, maxHeldBytesPerClient: 400_000 });
  const c = await open();
  c.send(input({ ...AT_16K, turn_detection: { type: 'server_vad' } }));
  const noise = Float32Array.from({ length: 30 * 16_000 }, (_, at) => 0.002 * Math.sin(at * at));
  speakIn(8_000, joined(quiet(30), noise), c);
  speakIn(8_000, joined(sentence, quiet(1.5)), c);
  expect((await c.next(COMPLETED)).transcript).toBe('words');
  expect(c.events.filter(({ type }) => type === STARTED)).toHaveLength(1);
});

test('who speaks on past the longest item gets it in pieces without a gap', async () => {
  await start({ maxAudioMs: 3_000 });
  const c = await open();
  c.send(input({ ...AT_16K, turn_detection: { type: 'server_vad' } }));
  speakIn(1_600, joined(quiet(0.5), sentence, quiet(1.5)), c);
  await c.next(STOPPED);
  await c.next(COMPLETED);
  await c.next(COMPLETED);
  const heard = joined(...fake.calls.map(({ samples }) => samples));
  expect(holds(heard, sentence)).toBe(true);
});

test('a file that comes faster than it is heard waits: each of its turns is heard, in its order', async () => {
  fake = createFakeEngine(null);
  const limits = { maxUploadsPerClient: 4, maxAudioMsPerClient: 10_000, maxWaiting: 1 };
  server = await startServer({ engine: fake.engine, kernel, limits });
  const c = await open();
  c.send(input({ ...AT_16K, turn_detection: { type: 'server_vad', silence_duration_ms: 300 } }));
  const turns = 20;
  const turn = joined(sentence.subarray(0, 24_000), quiet(0.7));
  for (let n = 0; n < turns; n++) speakIn(8_000, turn, c);
  for (let n = 0; n < turns; n++) {
    await expect.poll(() => fake.calls.length).toBe(n + 1);
    fake.calls[n]!.answer(`turn ${n}`);
    expect((await c.next(COMPLETED)).transcript).toBe(`turn ${n}`);
  }
  expect(c.events.filter(({ type }) => type === COMMITTED)).toHaveLength(turns);
  expect(c.events.filter(({ type }) => type === FAILED || type === 'error')).toEqual([]);
});

test('while no turn is answered no more is read of who sends, and a message of many turns is none too many', async () => {
  fake = createFakeEngine(null);
  server = await startServer({ engine: fake.engine, kernel, limits: { concurrency: 32 } });
  const c = await open();
  c.send(input({ ...AT_16K, turn_detection: { type: 'server_vad', silence_duration_ms: 300 } }));
  const turn = joined(sentence.subarray(0, 24_000), quiet(0.7));
  for (let n = 0; n < 4; n++) c.speak(joined(...Array.from({ length: 7 }, () => turn)));
  await expect.poll(() => fake.calls.length).toBe(16);
  for (let minute = 0; minute < 4; minute++) speakIn(160_000, quiet(60), c);
  await expect.poll(() => c.socket.bufferedAmount).toBeGreaterThan(1e6);
  for (let n = 0; n < 28; n++) {
    await expect.poll(() => fake.calls.length).toBeGreaterThan(n);
    fake.calls[n]!.answer(`turn ${n}`);
    expect((await c.next(COMPLETED)).transcript).toBe(`turn ${n}`);
  }
  await expect.poll(() => c.socket.bufferedAmount).toBe(0);
});

test('a turn that cannot be taken now is told as failed, and the connection goes on', async () => {
  // Its share of a minute comes back later than that.
  await start({ maxPerMinute: 2, realtimeIdleMs: 10_000 });
  const c = await open();
  c.send(input({ ...AT_16K, turn_detection: { type: 'server_vad', silence_duration_ms: 300 } }));
  speakIn(8_000, joined(sentence, quiet(1), sentence, quiet(1)), c);
  const failed = await c.next(FAILED);
  expect(failed.error?.code).toBe('rate_limited');
  expect(c.events.map(({ item_id, type }) => type === COMMITTED && item_id)).toContain(
    failed.item_id,
  );
  expect(c.socket.readyState).toBe(1);
});

test('semantic_vad is taken as server_vad, and says so', async () => {
  await start();
  const c = await open();
  c.send(input({ ...AT_16K, turn_detection: { type: 'semantic_vad', eagerness: 'high' } }));
  expect(await c.next('session.updated')).toMatchObject({
    session: {
      audio: {
        input: {
          turn_detection: {
            ...{ type: 'server_vad', silence_duration_ms: 400 },
            note: expect.stringContaining('semantic_vad is taken as server_vad'),
          },
        },
      },
    },
  });
  speakIn(8_000, joined(sentence, quiet(1)), c);
  await c.next(COMPLETED);
});

test.each([
  [{ type: 'server_vad', threshold: 2 }, 'field_invalid'],
  [{ type: 'server_vad', silence_duration_ms: '500' }, 'field_invalid'],
  [{ type: 'server_vad', prefix_padding_ms: -1 }, 'field_invalid'],
  [{ type: 'mind_reading' }, 'turn_detection_not_supported'],
  ['server_vad', 'field_invalid'],
])('%j is a clear error', async (turn_detection, code) => {
  await start();
  const c = await open();
  c.send(input({ turn_detection }));
  expect((await c.next('error')).error?.code).toBe(code);
});

test('a change back to commits by hand commits what was said', async () => {
  await start();
  const c = await open();
  c.send(input({ ...AT_16K, turn_detection: { type: 'server_vad' } }));
  speakIn(8_000, joined(quiet(0.5), sentence), c);
  await c.next(STARTED);
  c.send(input({ turn_detection: null }));
  await c.next(COMMITTED);
  c.speak(tone(440, 16_000, 1), true);
  await c.next(COMMITTED);
  await c.next(COMPLETED);
  await c.next(COMPLETED);
});

test('a commit in the middle of speech ends an item there, and the rest is the next', async () => {
  await start();
  const c = await open();
  c.send(input({ ...AT_16K, turn_detection: { type: 'server_vad' } }));
  speakIn(1_600, joined(quiet(0.5), sentence.subarray(0, 32_000)), c);
  await c.next(STARTED);
  c.send({ type: 'input_audio_buffer.commit' });
  const first = await c.next(COMMITTED);
  speakIn(1_600, joined(sentence.subarray(32_000), quiet(1.5)), c);
  const stopped = await c.next(STOPPED);
  const second = await c.next(COMMITTED);
  expect([second.item_id, second.previous_item_id]).toEqual([stopped.item_id, first.item_id]);
  await c.next(COMPLETED);
  await c.next(COMPLETED);
  expect(holds(joined(...fake.calls.map(({ samples }) => samples)), sentence)).toBe(true);
});

test.each([0, 800])('%i samples behind a commit by hand make no item that fails', async (more) => {
  await start();
  const c = await open();
  c.send(input({ ...AT_16K, turn_detection: { type: 'server_vad' } }));
  speakIn(1_600, joined(quiet(0.5), sentence), c);
  await c.next(STARTED);
  c.send({ type: 'input_audio_buffer.commit' });
  speakIn(400, sentence.subarray(0, more), c);
  c.send(input({ turn_detection: null }));
  c.speak(tone(440, 16_000, 1), true);
  await c.next(COMPLETED);
  await c.next(COMPLETED);
  expect(c.events.filter(({ type }) => type === COMMITTED)).toHaveLength(2);
  expect(c.events.filter(({ type }) => type === FAILED)).toEqual([]);
});

test('a change of the rate between two turns is heard at the new rate', async () => {
  await start();
  const c = await open();
  c.send(input({ ...AT_16K, turn_detection: { type: 'server_vad' } }));
  speakIn(8_000, quiet(10), c);
  c.send(input({ format: { type: 'audio/pcm', rate: 24_000 } }));
  speakIn(2_400, at24k(joined(quiet(1), sentence, quiet(1.5))), c);
  const started = await c.next(STARTED);
  expect(started.audio_start_ms).toBeGreaterThan(10_400);
  expect(started.audio_start_ms).toBeLessThan(11_050);
  await c.next(COMPLETED);
  expect(fake.calls[0]!.samples.length / 16_000).toBeGreaterThan(4.4);
  expect(fake.calls[0]!.samples.length / 16_000).toBeLessThan(6.5);
});

describe('programs as they are', () => {
  test("OpenAI's own client, unmodified", async () => {
    await start();
    const openai = new OpenAI({ apiKey: 'any', baseURL: `${server.url}/v1` });
    const realtime = new OpenAIRealtimeWS(
      { model: 'gpt-4o-transcribe', options: { agent: new WithoutTls() } },
      openai,
    );
    const heard = new Promise<string>((resolve, reject) => {
      realtime.on('error', reject);
      realtime.on(COMPLETED, ({ transcript }) => resolve(transcript));
    });
    realtime.on('session.created', () => {
      realtime.send({
        type: 'session.update',
        session: {
          type: 'transcription',
          audio: {
            input: {
              format: { type: 'audio/pcm', rate: 24_000 },
              noise_reduction: { type: 'near_field' },
              transcription: { model: 'gpt-4o-transcribe', language: 'en' },
              turn_detection: {
                ...{ type: 'server_vad', threshold: 0.5 },
                ...{ prefix_padding_ms: 300, silence_duration_ms: 500 },
              },
            },
          },
        },
      });
      const sound = at24k(joined(sentence, quiet(1.5)));
      for (let at = 0; at < sound.length; at += 4_800) {
        const audio = base64Of(sound.subarray(at, at + 4_800));
        realtime.send({ type: 'input_audio_buffer.append', audio });
      }
    });
    expect(await heard).toBe('words');
    realtime.close();
  });

  test('an agent that speaks the older form (LiveKit): flat fields, no padding named', async () => {
    await start();
    const c = await open();
    c.send({
      type: 'transcription_session.update',
      session: {
        input_audio_format: 'pcm16',
        input_audio_transcription: { model: 'gpt-4o-mini-transcribe', prompt: '', language: 'en' },
        turn_detection: { type: 'server_vad', threshold: 0.5, silence_duration_ms: 350 },
      },
    });
    expect(await c.next('transcription_session.updated')).toMatchObject({
      session: { turn_detection: { type: 'server_vad', silence_duration_ms: 350 } },
    });
    speakIn(1_200, at24k(joined(quiet(0.3), sentence, quiet(1))), c);
    expect((await c.next(COMPLETED)).transcript).toBe('words');
  });

  test('a microphone script: session.update in the older form, noise reduction, 20 ms a piece', async () => {
    await start();
    const c = await open();
    c.send({
      type: 'session.update',
      session: {
        input_audio_format: 'pcm16',
        input_audio_transcription: { model: 'gpt-4o-transcribe', language: 'en' },
        turn_detection: {
          ...{ type: 'server_vad', threshold: 0.32 },
          ...{ prefix_padding_ms: 300, silence_duration_ms: 350, create_response: false },
        },
        input_audio_noise_reduction: { type: 'near_field' },
      },
    });
    speakIn(480, at24k(joined(sentence, quiet(1))), c);
    expect((await c.next(COMPLETED)).transcript).toBe('words');
  });
});

describe('the way down to 16 kHz', () => {
  test.each([100, 440, 3_000, 6_000])('keeps a tone of %i Hz, in pieces of any size', (hz) => {
    const halve = createHalver();
    const sound = tone(hz, 24_000, 1);
    const parts: Float32Array[] = [];
    for (let at = 0, size = 1; at < sound.length; at += size, size = (size * 7) % 997) {
      parts.push(halve(sound.subarray(at, at + size)));
    }
    const made = joined(...parts);
    expect(Math.abs(made.length - 16_000)).toBeLessThan(40);
    const right = tone(hz, 16_000, 1);
    // A millisecond late.
    for (let at = 1_000; at < 15_000; at += 97) {
      expect(made[at + 16]!).toBeCloseTo(right[at]!, 1);
    }
  });

  test('keeps what cannot be there out', () => {
    const made = createHalver()(tone(10_000, 24_000, 1)).subarray(200, 15_000);
    expect(Math.max(...made.map(Math.abs))).toBeLessThan(0.01);
  });
});

test('a finder costs next to nothing: a hundred seconds of speech in less than one', () => {
  const finder = createTurnFinder(kernel, { threshold: 0.5, prefixPaddingMs: 300, silenceMs: 500 });
  const before = process.cpuUsage();
  for (let round = 0; round < 22; round++) finder.accept(sentence);
  const { user } = process.cpuUsage(before);
  expect(user / 1e6).toBeLessThan(1);
});
