import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FrameProcessor } from '@ricky0123/vad-web/dist/frame-processor.js';
import { Message } from '@ricky0123/vad-web/dist/messages.js';
import { Silero } from '@ricky0123/vad-web/dist/models/index.js';
import {
  SAMPLE_RATE_HZ,
  type SampleRange,
  WINDOW_SAMPLES,
} from '../../src/core/audio/audio-format.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { createSteadyEngine } from '../../src/core/speech/steady-engine.ts';
import { RECORDING_VAD_OPTIONS } from '../../src/core/speech/vad-options.ts';
import {
  type GateSceneOptions,
  type GateScore,
  makeScene,
  scoreOf,
  segmentsOf,
} from '../helpers/gate-scene.ts';
import { readClips, type SpeechClip } from '../helpers/labelled-speech.ts';
import * as sounds from '../helpers/made-sounds.ts';
import { nodeKernel } from '../helpers/node-kernel.ts';

type Sound = (samples: number) => Float32Array;

/** A kind of pause, and how loud what is heard all the time is (dBFS; null for digital silence). */
export type GateCell = Omit<GateSceneOptions, 'levelDbfs'> & {
  readonly name: string;
  readonly noiseDbfs: number | null;
};

const FAINT_DBFS = -75;
/** Speech this far above the noise is to be kept. */
const LEAST_SNR_DB = 10;
export const LEVELS_DBFS: readonly number[] = [-20, -30, -40, -45];

const faint: Sound = (samples) => sounds.whiteNoise(samples, FAINT_DBFS, 1);

/** The levels of speech that a cell asks for. */
export function levelsOf({ noiseDbfs }: GateCell): readonly number[] {
  return LEVELS_DBFS.filter((level) => noiseDbfs === null || level - noiseDbfs >= LEAST_SNR_DB);
}

/** Pauses of 0, 3, 12 and 60 s in silence and noise of three levels, then 12 s of other things. */
export function gateCells(babblers: readonly SpeechClip[]): GateCell[] {
  const cells: GateCell[] = [];
  for (const pauseSeconds of [0, 3, 12, 60]) {
    cells.push({ name: `${pauseSeconds} s, silence`, pauseSeconds, noiseDbfs: null });
    for (const noiseDbfs of [FAINT_DBFS, -65, -55]) {
      const under: Sound = (samples) => sounds.pinkNoise(samples, noiseDbfs, 2);
      cells.push({ name: `${pauseSeconds} s, noise ${noiseDbfs}`, pauseSeconds, noiseDbfs, under });
    }
  }
  const between: Readonly<Record<string, Sound>> = {
    clicks: (samples) => sounds.keyClicks(samples, -25, 3),
    breath: (samples) => sounds.breath(samples, -55, 4),
    'breath -50': (samples) => sounds.breath(samples, -50, 4),
    music: (samples) => sounds.music(samples, -55, 5),
    'music -45': (samples) => sounds.music(samples, -45, 5),
    babble: (samples) => babbleOf(babblers, samples, -60),
  };
  for (const [what, sound] of Object.entries(between)) {
    const name = `12 s, ${what}`;
    cells.push({ name, pauseSeconds: 12, noiseDbfs: FAINT_DBFS, under: faint, between: sound });
  }
  const under: Readonly<Record<string, Sound>> = {
    fan: (samples) => sounds.fan(samples, -55, 6),
    hum: (samples) => sounds.mainsHum(samples, -55),
  };
  for (const [what, sound] of Object.entries(under)) {
    cells.push({ name: `12 s, ${what}`, pauseSeconds: 12, noiseDbfs: -55, under: sound });
  }
  return cells;
}

/** Segments that noise without speech starts. */
export function falseStarts(
  babblers: readonly SpeechClip[],
  samples: number,
): ReadonlyMap<string, Float32Array> {
  const over = (sound: Float32Array) => sounds.together(sound, faint(samples));
  return new Map([
    ['silence', new Float32Array(samples)],
    ['noise -65', sounds.pinkNoise(samples, -65, 11)],
    ['noise -50', sounds.pinkNoise(samples, -50, 12)],
    ['noise -35', sounds.whiteNoise(samples, -35, 13)],
    ['clicks', over(sounds.keyClicks(samples, -20, 14))],
    ['breath', over(sounds.breath(samples, -45, 15))],
    ['fan', sounds.fan(samples, -45, 16)],
    ['hum', sounds.mainsHum(samples, -45)],
    ['music', over(sounds.music(samples, -35, 17))],
    ['sung tones', over(sounds.sungTones(samples, -30, 18))],
    ['sung, silence', sounds.sungTones(samples, -30, 19)],
    ['babble', babbleOf(babblers, samples, -50)],
  ]);
}

function babbleOf(babblers: readonly SpeechClip[], samples: number, levelDbfs: number) {
  const speech = babblers.map((clip) => clip.samples);
  return sounds.babble(samples, levelDbfs, { seed: 7, speech });
}

/** A detector of segments in audio, at the recording preset, from a clean state. */
export type GateDetector = {
  readonly name: string;
  segments(samples: Float32Array): Promise<readonly SampleRange[]>;
};

/** The model alone and ours; then the peer. */
export async function gateDetectors(): Promise<GateDetector[]> {
  return [
    detectorOf('plain', await nodeKernel()),
    detectorOf('ours', createSteadyEngine(await nodeKernel())),
    await vadWeb(),
  ];
}

function detectorOf(name: string, engine: SpeechEngine): GateDetector {
  return { name, segments: (samples) => segmentsOf(engine, samples) };
}

const FRAME_MS = (3 * WINDOW_SAMPLES * 1_000) / SAMPLE_RATE_HZ;

/** The model and frame processor of its `MicVAD`, at the same thresholds and times. */
async function vadWeb(): Promise<GateDetector> {
  const { resolve } = createRequire(import.meta.url);
  const ort = await import('onnxruntime-web/wasm');
  const runtime = readFileSync(resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'));
  ort.env.wasm.wasmBinary = Uint8Array.from(runtime).buffer;
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
  const folder = join(resolve('@ricky0123/vad-web/dist/frame-processor.js'), '..');
  const file = Uint8Array.from(readFileSync(join(folder, 'silero_vad_v6.onnx')));
  const model = await Silero.new(ort, () => Promise.resolve(file.buffer));
  const vad = RECORDING_VAD_OPTIONS;
  return {
    name: 'vad-web',
    async segments(samples) {
      const segments: SampleRange[] = [];
      let endSample = 0;
      const processor = new FrameProcessor(
        model.process,
        model.reset_state,
        {
          positiveSpeechThreshold: vad.positiveSpeechThreshold,
          negativeSpeechThreshold: vad.negativeSpeechThreshold,
          redemptionMs: vad.redemptionFrames * FRAME_MS,
          preSpeechPadMs: vad.preSpeechPadFrames * FRAME_MS,
          minSpeechMs: 1,
          submitUserSpeechOnPause: true,
        },
        FRAME_MS / 3,
      );
      const hear: Parameters<typeof processor.process>[1] = (event) => {
        if (event.msg !== Message.SpeechEnd) return;
        segments.push({ startSample: endSample - event.audio.length, endSample });
      };
      model.reset_state();
      processor.resume();
      while (endSample + WINDOW_SAMPLES <= samples.length) {
        const window = samples.slice(endSample, endSample + WINDOW_SAMPLES);
        endSample += WINDOW_SAMPLES;
        await processor.process(window, hear);
      }
      processor.pause(hear);
      return segments;
    },
  };
}

const USAGE = `Usage: npm run bench -- gate [--quick] [--speech DIR] [--json FILE]

What the speech gate loses of speech at the recording preset, after pauses of many kinds, and what it takes for
speech: ours, the models alone, and @ricky0123/vad-web, on the same audio. Figures, never a pass or a failure.

  --quick        a fifth of the speech, pauses of up to 12 s, a minute of each sound that is no speech
  --speech DIR   WAV files to use in place of the project's own speech. NAME.txt beside NAME.wav holds
                 its labels, a line 'start end' in seconds for each stretch of speech (as Audacity
                 exports them); without it they go by energy, which needs a quiet recording
  --json FILE    writes every figure there, level by level
  -h, --help     this text`;

/** Made with eSpeak NG, so that no person's voice is here; slower and faster are other voices. */
const OWN_SPEECH = [
  'public/benchmark-speech.wav',
  'tests/fixtures/speech-en.wav',
  'tests/fixtures/dictation-one.wav',
  'tests/fixtures/dictation-two.wav',
];
const SPEEDS = [1, 0.88, 1.15];
const LONG_PAUSE_SECONDS = 60;

type CellResult = { readonly levelDbfs: number; readonly detector: string } & GateScore;

function readValues() {
  try {
    return parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        speech: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    console.error(`bench:gate: ${error instanceof Error ? error.message : error}`);
    process.exit(2);
  }
}

async function readSpeech(folder: string | undefined): Promise<SpeechClip[]> {
  const files = folder
    ? readdirSync(folder)
        .filter((name) => /\.wav$/i.test(name))
        .map((name) => join(folder, name))
    : OWN_SPEECH;
  const speeds = folder ? [1] : SPEEDS;
  const clips: SpeechClip[] = [];
  for (const file of files)
    for (const speed of speeds) clips.push(...(await readClips(file, speed)));
  if (clips.length === 0) throw new Error(`There is no speech in ${folder}`);
  return clips;
}

function printRow(name: string, values: readonly (string | number)[]): void {
  const cells = values.map((value) => String(value).padStart(12));
  console.log(`${name.padEnd(20)}${cells.join('')}`);
}

async function measureSpeech(clips: readonly SpeechClip[], detectors: readonly GateDetector[]) {
  const cells = new Map<string, CellResult[]>();
  console.log(
    `Speech lost, percent: the worst of ${LEVELS_DBFS.join(', ')} dBFS, 10 dB or more above the noise`,
  );
  printRow(
    'pause',
    detectors.map(({ name }) => name),
  );
  for (const cell of gateCells(clips)) {
    const isLong = cell.pauseSeconds >= LONG_PAUSE_SECONDS;
    if (isLong && values.quick) continue;
    const results: CellResult[] = [];
    const said = isLong ? clips.filter((_, i) => i % 3 === 0) : clips;
    for (const levelDbfs of levelsOf(cell)) {
      const scene = makeScene(said, { ...cell, levelDbfs });
      for (const { name: detector, segments } of detectors) {
        results.push({ levelDbfs, detector, ...scoreOf(scene, await segments(scene.samples)) });
      }
    }
    cells.set(cell.name, results);
    const worst = detectors.map(({ name }) => {
      const lost = results
        .filter(({ detector }) => detector === name)
        .map((result) => result.lostPercent);
      return Math.max(...lost).toFixed(2);
    });
    printRow(cell.name, worst);
  }
  return cells;
}

function printTotals(
  cells: ReadonlyMap<string, readonly CellResult[]>,
  detectors: readonly GateDetector[],
) {
  const all = [...cells.values()].flat();
  const of = (name: string) => all.filter(({ detector }) => detector === name);
  const row = (what: string, value: (results: readonly CellResult[]) => string | number) =>
    printRow(
      what,
      detectors.map(({ name }) => value(of(name))),
    );
  const mean = (numbers: readonly number[]) =>
    (numbers.reduce((sum, number) => sum + number, 0) / numbers.length).toFixed(2);
  console.log('\nAll pauses and levels');
  row('lost, mean %', (results) => mean(results.map(({ lostPercent }) => lostPercent)));
  row(
    'cells over 0.3 %',
    (results) => results.filter(({ lostPercent }) => lostPercent > 0.3).length,
  );
  row('first syllables', (results) =>
    results.reduce((sum, { firstSyllablesLost }) => sum + firstSyllablesLost, 0),
  );
  row('silence sent, %', (results) => mean(results.map((result) => result.silenceSentPercent)));
}

async function measureFalseStarts(
  clips: readonly SpeechClip[],
  detectors: readonly GateDetector[],
) {
  const minutes = values.quick ? 1 : 5;
  const found: Record<string, Record<string, number>> = {};
  console.log(`\nSegments in ${minutes} min of what is no speech`);
  for (const [what, samples] of falseStarts(clips, minutes * 60 * 16_000)) {
    const counts: Record<string, number> = {};
    for (const { name, segments } of detectors) counts[name] = (await segments(samples)).length;
    found[what] = counts;
    printRow(what, Object.values(counts));
  }
  return { minutes, found };
}

const values = readValues();
if (values.help) {
  console.log(USAGE);
} else {
  const speech = await readSpeech(values.speech);
  const clips = values.quick ? speech.filter((_, i) => i % 5 === 0) : speech;
  const detectors = await gateDetectors();
  const cells = await measureSpeech(clips, detectors);
  printTotals(cells, detectors);
  const starts = await measureFalseStarts(clips, detectors);
  if (values.json) {
    const result = { kind: 'diktera-gate', cells: Object.fromEntries(cells), falseStarts: starts };
    writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  }
}
