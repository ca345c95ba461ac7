import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { runVad } from '../../tools/vad/run-vad.ts';
import { atRate, styledWave, type WaveStyle } from '../helpers/wave-formats.ts';

const DEADLINE_MS = 30_000;
const FIXTURE = 'tests/fixtures/speech-en.wav';
/** 2.5 s of quiet, 4.4 s of speech, 1.5 s of quiet, 16 kHz. */
const QUIET_SAMPLES = 40_000;
const TAIL_SAMPLES = 24_000;

const PLAIN: WaveStyle = { rateHz: 16_000, kind: 's16', channels: 1 };
const STYLES: Readonly<Record<string, WaveStyle>> = {
  'mono-16-16k': PLAIN,
  'mono-8-8k': { rateHz: 8_000, kind: 'u8', channels: 1 },
  'mono-8-16k': { ...PLAIN, kind: 'u8' },
  'stereo-24-44k': { rateHz: 44_100, kind: 's24', channels: 2 },
  'extensible-24-48k': { rateHz: 48_000, kind: 's24', channels: 1, isExtensible: true },
  'float-stereo-48k': { rateHz: 48_000, kind: 'f32', channels: 2 },
  'float-extensible-96k': { rateHz: 96_000, kind: 'f32', channels: 1, isExtensible: true },
  'int-32-22k': { rateHz: 22_050, kind: 's32', channels: 1 },
  'double-16k': { ...PLAIN, kind: 'f64' },
  'piped-16k': { ...PLAIN, isPiped: true },
  'strange-chunk-16k': { ...PLAIN, hasStrangeChunk: true },
};

type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

type Detection = {
  readonly file: string;
  readonly sampleRate: number;
  readonly frameSamples: number;
  readonly probabilities: readonly number[];
  readonly segments: readonly {
    readonly startSample: number;
    readonly endSample: number;
    readonly startSeconds: number;
    readonly endSeconds: number;
  }[];
};

/** The command in this process: a process of its own takes a second to be compiled. */
async function vad(...words: readonly string[]): Promise<Outcome> {
  const out = { stdout: '', stderr: '' };
  const code = await runVad(words, {
    print: (text) => {
      out.stdout += `${text}\n`;
    },
    complain: (text) => {
      out.stderr += `${text}\n`;
    },
  });
  return { code, ...out };
}

/** The command as a person starts it. */
function vadProcess(...words: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'tools/vad/main.ts', ...words]);
  const out = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => {
    out.stdout += text;
  });
  child.stderr.on('data', (text) => {
    out.stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...out }));
  });
}

async function detect(...words: readonly string[]): Promise<Detection[]> {
  return detectionsOf(await vad(...words, '--json'));
}

function detectionsOf({ code, stdout, stderr }: Outcome): Detection[] {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const folder = mkdtempSync(join(tmpdir(), 'diktera-vad-'));
const pathOf = (name: string) => join(folder, `${name}.wav`);

let speech: Float32Array;
let recording: Float32Array;

beforeAll(() => {
  const file = readFileSync(FIXTURE);
  const samples = new Int16Array(Uint8Array.from(file).buffer, 44, (file.length - 44) >> 1);
  speech = Float32Array.from(samples, (sample) => sample / 32_768);
  recording = new Float32Array(QUIET_SAMPLES + speech.length + TAIL_SAMPLES);
  recording.set(speech, QUIET_SAMPLES);
  for (const [name, style] of Object.entries(STYLES)) {
    writeFileSync(pathOf(name), styledWave(atRate(recording, 16_000, style.rateHz), style));
  }
  writeFileSync(pathOf('ends-speaking'), styledWave(speech.subarray(0, 30_001), PLAIN));
  writeFileSync(pathOf('silence'), styledWave(new Float32Array(16_000), PLAIN));
  writeFileSync(pathOf('no-samples'), styledWave(new Float32Array(0), PLAIN));
  writeFileSync(pathOf('nothing'), '');
  writeFileSync(pathOf('text'), 'RIFF is not enough to be a wave file');
  const cut = styledWave(speech, PLAIN);
  writeFileSync(pathOf('cut-header'), cut.subarray(0, 30));
  const law = styledWave(speech, PLAIN);
  law[20] = 7;
  writeFileSync(pathOf('mu-law'), law);
}, DEADLINE_MS);
afterAll(() => rmSync(folder, { recursive: true }));

describe('the detector over WAV files', { timeout: DEADLINE_MS }, () => {
  test('finds the same segments in every kind of WAV, within a frame', async () => {
    const names = Object.keys(STYLES);
    const detections = await detect(...names.map(pathOf));
    expect(detections.map(({ file }) => file)).toEqual(names.map(pathOf));
    const [reference, ...others] = detections;
    expect(reference?.segments).toHaveLength(1);
    const [{ startSample, endSample }] = reference!.segments as [Detection['segments'][number]];
    expect(startSample).toBeGreaterThan(QUIET_SAMPLES - 12 * FRAME_SAMPLES);
    expect(startSample).toBeLessThan(QUIET_SAMPLES - 8 * FRAME_SAMPLES);
    expect(endSample).toBeGreaterThan(QUIET_SAMPLES + speech.length);
    for (const { file, segments, probabilities } of others) {
      expect(probabilities, file).toHaveLength(Math.ceil(recording.length / FRAME_SAMPLES));
      expect(segments, file).toHaveLength(1);
      expect(Math.abs(segments[0]!.startSample - startSample), file).toBeLessThanOrEqual(1_536);
      expect(Math.abs(segments[0]!.endSample - endSample), file).toBeLessThanOrEqual(1_536);
    }
  });

  test('prints the JSON that was promised, and nothing else; speech at the end ends with the audio', async () => {
    const words = [pathOf('ends-speaking'), pathOf('silence'), '--json'];
    const outcome = await vadProcess(...words);
    expect(await vad(...words)).toEqual(outcome);
    const [ending, silence] = detectionsOf(outcome);
    expect(ending).toEqual({
      file: pathOf('ends-speaking'),
      sampleRate: 16_000,
      frameSamples: 1_536,
      probabilities: expect.any(Array),
      segments: [
        { startSample: 0, endSample: 30_001, startSeconds: 0, endSeconds: 30_001 / 16_000 },
      ],
    });
    expect(ending?.probabilities).toHaveLength(20);
    expect(ending?.probabilities.every((p) => p >= 0 && p <= 1)).toBe(true);
    expect(silence?.segments).toEqual([]);
  });

  test.each<[string, number, RegExp, readonly string[]]>([
    ['no file', 2, /No file is given/, []],
    ['an unknown option', 2, /--loud/, [FIXTURE, '--loud']],
    ['a wrong engine', 2, /--engine is auto or kernel or ort, not 'gpu'/, ['--engine', 'gpu', 'x']],
    [
      'a wrong preset',
      2,
      /--preset is recording or default, not 'toString'/,
      ['--preset', 'toString', 'x'],
    ],
    ['a wrong preset', 2, /--preset is/, ['--preset', '', 'x']],
    ['a missing file', 2, /gone\.wav: there is no such file/, ['gone.wav']],
    ['a folder', 1, /tests: it cannot be read: EISDIR/, ['tests']],
    ['one bad file among good ones', 2, /text\.wav: it is not a WAV/, [FIXTURE, pathOf('text')]],
    ['an empty file', 2, /nothing\.wav: it is not a WAV file/, [pathOf('nothing')]],
    ['a WAV without samples', 2, /no-samples\.wav: it holds no audio/, [pathOf('no-samples')]],
    ['a header cut off', 2, /cut-header\.wav: its fmt chunk is too short/, [pathOf('cut-header')]],
    ['mu-law', 2, /mu-law\.wav: its audio is of format 7 with 16 bits/, [pathOf('mu-law')]],
  ])('%s: code %i and one clear line', async (_, code, line, words) => {
    const outcome = await vad(...words, '--json');
    expect(outcome).toEqual({ code, stdout: '', stderr: expect.stringMatching(line) });
    expect(outcome.stderr.trim().split('\n')).toHaveLength(1);
  });
});
