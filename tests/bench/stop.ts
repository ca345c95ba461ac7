import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright';
import { median } from '../../src/benchmark/run-benchmark.ts';
import { CHROMIUM_ARGUMENTS } from '../../tools/testing/browser-project.ts';
import { startServer } from '../e2e/helpers/server.ts';
import { readWave } from '../helpers/read-wave.ts';
import { waveFile } from '../helpers/wave-file.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { makeVoice } from './live-voice.ts';

const USAGE = `Usage: npm run bench -- stop [--web FOLDER]... [--rounds N] [--seconds N]... [FILE TEXT]...

How long the text takes after the last word, in our own page as a person finds it, with the embedded engine: a note
is spoken into the microphone, F9 is pressed when the last word has been said for 0.6 s, and the text stands in
the field. Builds and notes in turn, each time in a new browser; medians and worst of the rounds. Figures, never a pass or a failure.

  --web FOLDER   a build of the pages (dist/web); given more than once, they are compared in one run
  --rounds N     how often (5)
  --seconds N    about how long notes are (4, 11 and 44); 600 is worth its ten minutes a round
  FILE TEXT      WAV files of your own (48 kHz), each with a file of what is said in it, in place of made voices
  -h, --help     this text`;

/** A person takes so long to press. */
const PRESS_AFTER_MS = 600;
/** The engine of the gate, the server's state and the page itself are there by then. */
const SETTLE_MS = 3_000;
const TEXT_WAIT_MS = 60_000;
/** A text that is as it is for so long is whole. */
const STEADY_MS = 2_000;
/** Breaths and thoughts between sentences. */
const PAUSES_MS = [500, 900, 400, 1_200, 600, 2_000, 700];
/** A louder level is the voice. */
const VOICE_LEVEL = 0.003;
const RATE_HZ = 48_000;

type Note = {
  readonly name: string;
  readonly path: string;
  readonly words: string;
  /** From the first sound to the last. */
  readonly voiceMs: number;
};

type Measured = {
  readonly afterWordMs: number;
  readonly afterStopMs: number;
  readonly wrong: number;
};

/** Times noted by the page, in ms of its own clock. */
type Noted = { voiceAt?: number; pressedAt?: number; textAt?: number };
type Window = { readonly noted: Noted };

function writeNote(name: string, samples: Float32Array, words: string): Note {
  const first = samples.findIndex((value) => Math.abs(value) > VOICE_LEVEL);
  const last = samples.findLastIndex((value) => Math.abs(value) > VOICE_LEVEL);
  const path = resolve(`.cache/stop-${name.replace(/\W+/g, '-')}.wav`);
  const quiet = new Float32Array(5 * RATE_HZ);
  writeFileSync(path, waveFile(RATE_HZ, Float32Array.from([...quiet, ...samples, ...quiet])));
  return { name, path, words, voiceMs: ((last - first) / RATE_HZ) * 1_000 };
}

/** Sentences until the note is about so long. */
function madeNote(seconds: number): Note {
  for (let count = 1; ; count++) {
    const pauses = Array.from({ length: count }, (_, i) => PAUSES_MS[i % PAUSES_MS.length] ?? 0);
    const { samples, sentences } = makeVoice(pauses);
    if ((sentences.at(-1)?.endMs ?? 0) < seconds * 1_000) continue;
    return writeNote(`${seconds} s`, samples, sentences.map(({ text }) => text).join(' '));
  }
}

function ownNote(file: string, text: string): Note {
  const samples = readWave(new Uint8Array(readFileSync(file)).buffer);
  return writeNote(file, samples, readFileSync(text, 'utf8'));
}

/** Notes when the voice begins, by a look at the microphone that ends then, and when F9 is pressed. */
function noteTimes([voiceLevel]: readonly [number]): void {
  localStorage.setItem('diktera:settings', JSON.stringify({ language: 'en', fixSpelling: false }));
  const noted: Noted = {};
  Object.assign(globalThis, { noted });
  const devices = navigator.mediaDevices;
  const open = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (constraints) => {
    const stream = await open(constraints);
    const context = new AudioContext();
    const own = stream.clone();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(own).connect(analyser);
    const heard = new Float32Array(analyser.fftSize);
    const look = setInterval(() => {
      analyser.getFloatTimeDomainData(heard);
      if (!heard.some((value) => Math.abs(value) > voiceLevel)) return;
      noted.voiceAt = performance.now();
      clearInterval(look);
      for (const track of own.getTracks()) track.stop();
      void context.close();
    }, 10);
    return stream;
  };
  addEventListener(
    'keydown',
    ({ key }) => {
      if (key === 'F9') noted.pressedAt = performance.now();
    },
    true,
  );
}

/** The text that stands in the field once it changes no more. */
async function untilText(page: Page): Promise<string> {
  return page.evaluate(
    ([waitMs, steadyMs]) =>
      new Promise<string>((done) => {
        const field = document.querySelector('[role=textbox]');
        const { noted } = globalThis as unknown as Window;
        const text = () => field?.textContent?.trim() ?? '';
        const startedMs = performance.now();
        let last = '';
        const look = setInterval(() => {
          if (text() !== last) {
            last = text();
            noted.textAt = performance.now();
          }
          const nowMs = performance.now();
          const isSteady = last !== '' && nowMs - (noted.textAt ?? nowMs) > steadyMs;
          if (!isSteady && nowMs - startedMs < waitMs) return;
          clearInterval(look);
          done(last);
        }, 5);
      }),
    [TEXT_WAIT_MS, STEADY_MS] as const,
  );
}

async function measure(url: string, note: Note): Promise<Measured> {
  const executablePath = process.env.DIKTERA_BROWSER;
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [
      ...CHROMIUM_ARGUMENTS,
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${note.path}%noloop`,
    ],
  });
  try {
    const page = await browser.newPage({ permissions: ['microphone'], serviceWorkers: 'block' });
    // tsx compiles nested functions into calls of `__name`.
    await page.addInitScript('globalThis.__name = (named) => named');
    await page.addInitScript(noteTimes, [VOICE_LEVEL] as const);
    await page.goto(url);
    await page.getByRole('textbox').first().click();
    await page.waitForTimeout(SETTLE_MS);
    await page.keyboard.press('F9');
    await page.waitForFunction(
      (ms) => {
        const { voiceAt } = (globalThis as unknown as Window).noted;
        return voiceAt !== undefined && performance.now() >= voiceAt + ms;
      },
      note.voiceMs + PRESS_AFTER_MS,
      { timeout: note.voiceMs + 60_000, polling: 10 },
    );
    await page.keyboard.press('F9');
    const text = await untilText(page);
    const noted = await page.evaluate(() => (globalThis as unknown as Window).noted);
    const { voiceAt = 0, pressedAt = 0, textAt = Number.NaN } = noted;
    const wrong = wordErrorRate(note.words, text);
    const wordAt = voiceAt + note.voiceMs;
    return { afterWordMs: textAt - wordAt, afterStopMs: textAt - pressedAt, wrong };
  } finally {
    await browser.close();
  }
}

function tell(name: string, all: readonly Measured[]): void {
  const spread = (values: readonly number[]) =>
    `${(median(values) / 1_000).toFixed(2).padStart(7)} ${(Math.max(...values) / 1_000).toFixed(2).padStart(7)}`;
  const wrong = median(all.map((one) => one.wrong)) * 100;
  console.log(
    `${name.padEnd(44)}${spread(all.map(({ afterWordMs }) => afterWordMs))}   ` +
      `${spread(all.map(({ afterStopMs }) => afterStopMs))}   ${wrong.toFixed(1).padStart(5)}`,
  );
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    web: { type: 'string', multiple: true, default: ['dist/web'] },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', multiple: true, default: ['4', '11', '44'] },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help || positionals.length % 2 !== 0) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}
mkdirSync(resolve('.cache'), { recursive: true });
const notes: Note[] = [];
for (let at = 0; at < positionals.length; at += 2)
  notes.push(ownNote(positionals[at] ?? '', positionals[at + 1] ?? ''));
if (notes.length === 0) notes.push(...values.seconds.map((seconds) => madeNote(Number(seconds))));

const builds = await Promise.all(
  values.web.map(async (web) => {
    return { web, server: await startServer(undefined, { WEB_ROOT: resolve(web) }) };
  }),
);
console.log(
  `${'seconds: median, worst'.padEnd(44)}${'last word -> text'.padStart(15)}   ${'stop -> text'.padStart(15)}   wrong %`,
);
try {
  for (const note of notes) {
    const measured = new Map<string, Measured[]>();
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const { web, server } of builds) {
        measured.set(web, [...(measured.get(web) ?? []), await measure(server.url, note)]);
      }
    }
    for (const [web, all] of measured) tell(`${note.name}: ${web}`, all);
  }
} finally {
  await Promise.all(builds.map(({ server }) => server.stop()));
}
process.exit();
