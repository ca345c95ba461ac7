import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeAudio } from '../../server/audio/decode-audio.ts';
import { findProgram } from '../../server/core/system.ts';
import { decoderPool, SOME_TURN } from '../helpers/decoder-pool.ts';

// npm run bench -- sound: processor time for decoding ten minutes of speech in each format to 16 kHz
// mono, beside ffmpeg on the same file, and what an hour takes in a decoding process with its limits.
// The files are made by ffmpeg: without it nothing is measured.

const SPEECH = join(import.meta.dirname, '../fixtures/speech-en.wav');
const MINUTES = 10;
const HOUR_MS = 3_600_000;

const FORMATS = [
  ['WAV, 16 bits, 44.1 kHz', 'wav', '-ar 44100'],
  ['MP3, 128 kbit/s, 44.1 kHz', 'mp3', '-ar 44100 -b:a 128k'],
  ['FLAC, 44.1 kHz', 'flac', '-ar 44100'],
  ['Opus in WebM', 'webm', '-c:a libopus'],
  ['AAC in MP4, by ffmpeg', 'm4a', '-ar 44100 -c:a aac'],
  ['Vorbis in Ogg, by ffmpeg', 'ogg', '-ar 44100 -c:a libvorbis'],
] as const;

const ffmpeg = findProgram('ffmpeg', process.env.PATH ?? '');
if (ffmpeg === null) console.log('not measured: there is no ffmpeg on this machine');
else await measure(ffmpeg);

async function measure(program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-sound-'));
  // The pool's processes keep none from ending.
  const alive = setInterval(() => undefined, 60_000);
  const make = (name: string, how: string, minutes: number) => {
    const path = join(folder, name);
    const loop = `-v error -y -stream_loop -1 -i ${SPEECH} -t ${60 * minutes} ${how} ${path}`;
    spawnSync(program, loop.split(' '), { stdio: 'inherit' });
    return path;
  };
  try {
    console.log('format                        ours, s   x real time   ffmpeg, s   x real time');
    for (const [name, end, how] of FORMATS) {
      const path = make(`ten.${end}`, how, MINUTES);
      const ours = await ourSeconds(readFileSync(path), program);
      const theirs = theirSeconds(program, path);
      const times = (seconds: number) => String(Math.round((60 * MINUTES) / seconds)).padStart(10);
      console.log(
        `${name.padEnd(28)}${ours.toFixed(2).padStart(9)}${times(ours)}    ` +
          `${theirs.toFixed(2).padStart(11)}${times(theirs)}`,
      );
    }
    for (const [name, end, how] of FORMATS.filter(([, end]) => ['mp3', 'm4a'].includes(end))) {
      await measureHour(name, readFileSync(make(`hour.${end}`, how, 60)), program);
    }
  } finally {
    rmSync(folder, { recursive: true });
    clearInterval(alive);
  }
}

/** Our own decoding time; ffmpeg's, where it is used, is not included. */
async function ourSeconds(file: Uint8Array, ffmpegPath: string): Promise<number> {
  await decodeAudio(file.subarray(0, 200_000), HOUR_MS, { ffmpegPath }).catch(() => undefined);
  const before = process.cpuUsage();
  await decodeAudio(file, HOUR_MS, { ffmpegPath });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function theirSeconds(program: string, path: string): number {
  const args = `-benchmark -threads 1 -i ${path} -ac 1 -ar 16000 -f f32le -y /dev/null`.split(' ');
  const { stderr } = spawnSync(program, args);
  const [, user = '0', system = '0'] = /utime=([\d.]+)s stime=([\d.]+)s/.exec(String(stderr)) ?? [];
  return Number(user) + Number(system);
}

async function measureHour(name: string, file: Uint8Array, ffmpegPath: string): Promise<void> {
  const pool = decoderPool({
    size: 1,
    ffmpegPath,
    maxUploadBytes: file.length,
    maxAudioMs: 2 * HOUR_MS,
  });
  try {
    const startMs = performance.now();
    const never = new AbortController().signal;
    const { samples } = await pool.decode(file, 2 * HOUR_MS, never, SOME_TURN);
    const seconds = (performance.now() - startMs) / 1_000;
    const most = pool.processIds.map((id) => /VmHWM:\s+(\d+)/.exec(statusOf(id))?.[1] ?? 0);
    const megabytes = Math.round(Math.max(...most.map(Number)) / 1_000);
    console.log(
      `an hour of ${name}: ${seconds.toFixed(1)} s by the clock, its process at most ${megabytes} MB, ` +
        `of which ${Math.round((4 * samples.length) / 1e6)} MB are the sound`,
    );
  } finally {
    await pool.dispose();
  }
}

function statusOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/status`, 'utf8');
  } catch {
    return '';
  }
}
