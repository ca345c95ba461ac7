import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { EngineNews, EngineOrder, EnginePoolShape } from './parts.ts';

// Stands in for engines on GPUs: each takes OpenAI's POST /v1/audio/transcriptions, first come
// first served, a few at once, and takes as long as it is told to. One that was begun is finished
// although nobody waits for it any more, as faster-whisper's server does.
const shape = JSON.parse(process.argv[2] ?? '') as EnginePoolShape;

const WAVE_HEADER_BYTES = 44;
/** A speed that changes is felt so soon. */
const STEP_MS = 100;

const heard: string[] = [];

function createStandIn(port: number) {
  let share = 1;
  let free = shape.places;
  /** Counts its deaths: what a dead one had is gone. */
  let life = 0;
  const waiting: (() => void)[] = [];

  async function work(audioSeconds: number, ownLife: number): Promise<void> {
    let left = audioSeconds;
    let beganMs = performance.now();
    while (left > 0 && ownLife === life) {
      const speed = shape.audioSecondsPerSecond * share;
      await sleep(Math.min(STEP_MS, (1_000 * left) / speed));
      const nowMs = performance.now();
      left -= ((nowMs - beganMs) / 1_000) * speed;
      beganMs = nowMs;
    }
  }

  async function transcribe(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ownLife = life;
    const { sound, samples } = await readWave(request);
    if (free > 0) free--;
    else await new Promise<void>((begin) => waiting.push(begin));
    if (ownLife !== life) return;
    await work(samples / SAMPLE_RATE_HZ, ownLife);
    if (ownLife !== life) return;
    heard.push(sound);
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
    answer(response, { text: `Hörde ${samples} prov, nummer ${numberOf(sound)}.` });
  }

  const server = createServer((request, response) => {
    if (request.method === 'GET') answer(response, { object: 'list', data: [] });
    else transcribe(request, response).catch(() => response.destroy());
  });
  // A balancer's spare connections stay.
  server.keepAliveTimeout = 120_000;
  const listen = () => new Promise<void>((done) => server.listen(port, '127.0.0.1', done));

  return {
    listen,
    slow(to: number) {
      share = to;
    },
    die() {
      life++;
      waiting.length = 0;
      free = shape.places;
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The sound in a form, by its hash: the form's own bytes differ each time. */
async function readWave(request: IncomingMessage) {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const form = Buffer.concat(parts);
  const at = form.indexOf('RIFF');
  if (at < 0) throw new Error('no wave file came');
  const bytes = form.readUInt32LE(at + WAVE_HEADER_BYTES - 4);
  const audio = form.subarray(at + WAVE_HEADER_BYTES, at + WAVE_HEADER_BYTES + bytes);
  return { sound: createHash('sha256').update(audio).digest('hex'), samples: bytes / 2 };
}

/** Digits only: no rule for spelling touches them. */
const numberOf = (sound: string) => Number.parseInt(sound.slice(0, 12), 16);

const engines = shape.ports.map(createStandIn);
const tell = (news: EngineNews) => process.send?.(news);

process.on('message', (order: EngineOrder) => {
  if (order.kind === 'report') tell({ kind: 'report', heard });
  else if (order.kind === 'speed') engines[order.engine]?.slow(order.share);
  else if (order.kind === 'die') engines[order.engine]?.die();
  else void engines[order.engine]?.listen();
});
process.on('disconnect', () => process.exit());
await Promise.all(engines.map((engine) => engine.listen()));
tell({ kind: 'ready' });
