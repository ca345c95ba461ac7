import { decodeAudio } from '../../server/audio/decode-audio.ts';
import { buildIfNeeded } from '../../tools/build-all.ts';
import { fixture } from '../helpers/running-server.ts';
import { type ServerProcess, startServerProcess } from '../helpers/server-process.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { waveFile } from '../helpers/wave-file.ts';
import { runClients, type SpokenFile } from './server-load-clients.ts';

// npm run bench -- server [soakMinutes]: the real server and engine in a process of their own, on
// this machine only. Two minutes and the soak (1 minute unless told otherwise); ends by itself,
// with exit code 1 when an accepted request went unanswered.
const soakMinutes = Number(process.argv[2] ?? 1);
const PHASE_MS = 10_000;
const SAMPLE_EVERY_MS = 5_000;

/** About `seconds` of two spoken sentences, over and over. */
async function spokenFor(seconds: number): Promise<SpokenFile> {
  const names = ['dictation-one', 'dictation-two'] as const;
  const parts: Float32Array[] = [];
  const words: string[] = [];
  let samples = 0;
  for (let turn = 0; ; turn++) {
    const name = names[turn % 2] ?? 'dictation-one';
    const part = (await decodeAudio(fixture(`${name}.wav`), 60_000)).samples;
    if (samples + part.length > seconds * 16_000 && parts.length > 0) break;
    parts.push(part);
    words.push(SPOKEN_WORDS[name]);
    samples += part.length;
  }
  const whole = new Float32Array(samples);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  const file = waveFile(16_000, whole);
  return { name: `${seconds} s`, file, seconds: samples / 16_000, words: words.join(' ') };
}

/** Lets clients loose on the server and prints what came of it, with the processor time it took. */
async function phase(
  what: string,
  server: ServerProcess,
  spoken: SpokenFile,
  clients: number,
  forMs: number,
): Promise<void> {
  const cpuBefore = await server.cpuSeconds();
  const result = await runClients(server.url, spoken, clients, forMs);
  const cpuSeconds = (await server.cpuSeconds()) - cpuBefore;
  const [p50, p95, p99] = result.latencyMs.map((ms) => Math.round(ms));
  console.log(
    `${what.padEnd(22)} ${String(clients).padStart(3)} clients  ` +
      `${result.audioSecondsPerSecond.toFixed(1).padStart(6)} audio s/s  ` +
      `${(result.audioSeconds / cpuSeconds).toFixed(1)} audio s/CPU s  ` +
      `RTF ${(cpuSeconds / result.audioSeconds).toFixed(4)}  ` +
      `p50 ${p50} p95 ${p95} p99 ${p99} ms  WER ${(100 * result.wordErrorRate).toFixed(1)} %  ` +
      JSON.stringify(result.statuses),
  );
  const refused = (result.statuses[429] ?? 0) + (result.statuses[503] ?? 0);
  if (refused > 0) {
    console.log(
      `${''.padEnd(22)} ${refused} refused, the slowest after ` +
        `${Math.round(result.slowestRefusalMs)} ms, ${result.withoutRetryAfter} without Retry-After`,
    );
  }
  unanswered += result.statuses[0] ?? 0;
}

await buildIfNeeded();
let unanswered = 0;
const [short, long] = [await spokenFor(10), await spokenFor(90)];

// All clients are this one machine.
const NO_SHARE = { RATE_LIMIT_PER_MINUTE: '0', UPLOADS_PER_CLIENT: '0', AUDIO_S_PER_CLIENT: '0' };

const beforeStartMs = performance.now();
const server = await startServerProcess(NO_SHARE);
console.log(`ready after ${Math.round(performance.now() - beforeStartMs)} ms`);
for (const clients of [1, 2, 4, 8]) {
  await phase(`chunks of ${short.name}`, server, short, clients, PHASE_MS);
}
for (const clients of [1, 2, 4, 8]) {
  await phase(`chunks of ${long.name}`, server, long, clients, PHASE_MS);
}

console.log(`memory over ${soakMinutes} min with 4 clients:`);
const resident: number[] = [];
const sampler = setInterval(async () => {
  resident.push(Math.round((await server.residentBytes()) / 1e6));
}, SAMPLE_EVERY_MS);
await phase('soak', server, short, 4, soakMinutes * 60_000);
clearInterval(sampler);
const third = Math.max(1, Math.floor(resident.length / 3));
const mean = (part: readonly number[]) =>
  Math.round(part.reduce((sum, megabytes) => sum + megabytes, 0) / part.length);
console.log(
  `resident MB: first third ${mean(resident.slice(0, third))}, last third ` +
    `${mean(resident.slice(-third))}, most ${Math.max(...resident)}`,
);
await server.stop();

const small = await startServerProcess({ ...NO_SHARE, MAX_WAITING: '4' });
await phase('overload, 4 may wait', small, short, 40, PHASE_MS);
await small.stop();

const limited = await startServerProcess({ ...NO_SHARE, RATE_LIMIT_PER_MINUTE: '30' });
await phase('30 a minute allowed', limited, short, 8, PHASE_MS);
await limited.stop();

if (unanswered > 0) console.error(`${unanswered} requests were not answered`);
process.exitCode = unanswered > 0 ? 1 : 0;
