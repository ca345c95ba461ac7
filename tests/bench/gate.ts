import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type GateScore, makeScene, scoreOf } from '../helpers/gate-scene.ts';
import { readClips, type SpeechClip } from '../helpers/labelled-speech.ts';
import { falseStarts, gateCells, LEVELS_DBFS, levelsOf } from './gate-cells.ts';
import { type GateDetector, gateDetectors } from './gate-detectors.ts';

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
