import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { SampleCollector } from './decoded-audio.ts';

/** A program on this machine that decodes what is not decoded here. */
export type Ffmpeg = {
  readonly path: string;
  /** Processor time it may take for one file, in whole seconds; the system ends it after that. */
  readonly cpuLimitS: number;
};

/** Nothing but what comes in by the pipe is read: files can name others, and addresses. */
const BEFORE = '-nostdin -hide_banner -v error -threads 1 -protocol_whitelist pipe'.split(' ');
const AFTER = ['-map', '0:a:0', '-threads', '1', '-ac', '1', '-ar', String(SAMPLE_RATE_HZ)];

const SHELL = '/bin/sh';

/** It inherits this process's limits of memory, and gets one of processor time. */
function start({ path, cpuLimitS }: Ffmpeg, format: string): ChildProcess {
  const program = [
    ...[path, ...BEFORE, '-f', format, '-i', 'pipe:0'],
    ...[...AFTER, '-f', 'f32le', 'pipe:1'],
  ];
  const limit = `ulimit -t ${cpuLimitS} 2>/dev/null\nexec "$@"`;
  const [command = '', ...args] = existsSync(SHELL)
    ? [SHELL, '-c', limit, 'sh', ...program]
    : program;
  return spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
}

/**
 * Decodes `input`, which is of ffmpeg's `format` and can be read without going back, into
 * `collector`; `toSkip` samples at the beginning are left out. Gives whether nothing was wrong with
 * it. Throws when `input` does, after all before it was heard, and when nothing can be read.
 */
export async function decodeByFfmpeg(
  ffmpeg: Ffmpeg,
  format: string,
  input: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  collector: SampleCollector,
  toSkip = 0,
): Promise<boolean> {
  const child = start(ffmpeg, format);
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('no pipes');
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  ended.catch(() => undefined);
  // It may end before it has read everything.
  stdin.on('error', () => undefined);
  let hasComplained = false;
  stderr.on('data', () => {
    hasComplained = true;
  });
  const fed = feed(stdin, input);
  fed.catch(() => undefined);
  try {
    let left = toSkip;
    for await (const samples of samplesOf(stdout)) {
      collector.add(samples.subarray(left));
      left = Math.max(0, left - samples.length);
    }
    const code = await ended;
    await fed;
    if (collector.length === 0 && code !== 0) throw new Error('nothing that ffmpeg can read');
    return code === 0 && !hasComplained;
  } finally {
    child.kill('SIGKILL');
  }
}

async function feed(
  stdin: NonNullable<ChildProcess['stdin']>,
  input: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    for await (const bytes of input) {
      if (stdin.destroyed) return;
      if (!stdin.write(bytes)) await drained(stdin);
    }
  } finally {
    stdin.end();
  }
}

function drained(stdin: NonNullable<ChildProcess['stdin']>): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      stdin.off('drain', go);
      stdin.off('close', go);
      resolve();
    };
    stdin.on('drain', go);
    stdin.on('close', go);
  });
}

/** Whole samples: a pipe breaks them where it likes. */
async function* samplesOf(output: AsyncIterable<Buffer>): AsyncGenerator<Float32Array> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % Float32Array.BYTES_PER_ELEMENT);
    rest = bytes.subarray(whole);
    // A copy, since a chunk lies anywhere in a larger buffer.
    yield new Float32Array(new Uint8Array(bytes.subarray(0, whole)).buffer);
  }
}

/** A stream of AAC without a container: each packet with a head that says what it is. */
export function createAdtsHeads(description: Uint8Array) {
  // Without a description they have one already.
  if (description.length === 0) return (packet: Uint8Array): Uint8Array => packet;
  const config = parseAudioConfig(description);
  return (packet: Uint8Array): Uint8Array => {
    const length = packet.length + 7;
    if (length >= 2 ** 13) throw new Error('a packet longer than any');
    const { profile, rateIndex, channels } = config;
    const adts = new Uint8Array(length);
    adts.set([
      ...[0xff, 0xf1, (profile << 6) | (rateIndex << 2) | (channels >> 2)],
      ...[((channels & 3) << 6) | (length >> 11), (length >> 3) & 0xff],
      ...[((length & 7) << 5) | 0x1f, 0xfc],
    ]);
    adts.set(packet, 7);
    return adts;
  };
}

/** Reads an AudioSpecificConfig; throws for what such a head cannot say. */
function parseAudioConfig(bytes: Uint8Array) {
  let at = 0;
  const take = (bits: number) => {
    let value = 0;
    for (let bit = 0; bit < bits; bit++, at++) {
      value = value * 2 + (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    }
    return value;
  };
  const takeType = () => {
    const type = take(5);
    return type === 31 ? 32 + take(6) : type;
  };
  const takeRate = () => {
    const index = take(4);
    if (index === 15) take(24);
    return index;
  };
  let type = takeType();
  const rateIndex = takeRate();
  const channels = take(4);
  // Parts that double rate or channels are found by the decoder itself.
  if (type === 5 || type === 29) {
    takeRate();
    type = takeType();
  }
  if (type < 1 || type > 4 || rateIndex > 12 || channels < 1 || channels > 7) {
    throw new Error('a form of AAC that no stream has');
  }
  return { profile: type - 1, rateIndex, channels };
}
