import { FRAME_SAMPLES, type SampleRange } from '../core/audio/audio-format.ts';
import type { SpeechEngineKind } from '../core/speech/speech-engine.ts';
import { RECORDING_VAD_OPTIONS } from '../core/speech/vad-options.ts';

/** Subject of a row. `vad-web` is measured by `npm run bench` only. */
export type RowKey = {
  readonly engine: SpeechEngineKind | 'vad-web';
  readonly threads: number;
};

/** Cost of one frame every 96 ms, as when somebody speaks: caches are cold. */
export type LiveCost = {
  readonly usPerFrame: number;
  /** Share of one core, 0 to 1. */
  readonly coreShare: number;
};

/** One engine's figures; medians over the counted rounds. */
export type BenchmarkRow = RowKey & {
  /** Seconds of audio inferred in a second: the median stretch of 2 ms. */
  readonly xRealtime: number;
  readonly usPerFrame: { readonly p50: number; readonly p95: number; readonly p99: number };
  readonly startupMs: number;
  /** Bytes fetched, compressed. */
  readonly bytes: number;
  /** Null where it makes no sense: more than one thread. */
  readonly live: LiveCost | null;
  /** The largest difference from onnxruntime with one thread; null without it. */
  readonly maxDifference: number | null;
};

/** Origin of the figures. */
type Machine = {
  readonly browser: string;
  readonly cores: number;
  /** The page could have threads and the fine clock. */
  readonly isIsolated: boolean;
};

/** A result as it is copied, saved and compared. */
export type BenchmarkReport = {
  readonly kind: 'diktera-benchmark';
  readonly machine: Machine;
  /** ISO 8601. */
  readonly date: string;
  readonly audio: { readonly name: string; readonly seconds: number };
  readonly rows: readonly BenchmarkRow[];
};

/** A name for a row that is the same in every report. */
export function rowId({ engine, threads }: RowKey): string {
  return `${engine} ${threads}`;
}

/**
 * Reads a saved result; null for another file, or a row without its figures. Results of `npm run
 * bench -- --json` are read, too, without the figures that they lack.
 */
export function parseReport(text: string): BenchmarkReport | null {
  const saved = fieldsOf(parseJson(text));
  const machine = fieldsOf(saved.machine);
  const audio = fieldsOf(saved.audio);
  const rows = Array.isArray(saved.rows) ? saved.rows.map(readRow) : [];
  if (!saved.machine || rows.length === 0 || rows.includes(null)) return null;
  return {
    kind: 'diktera-benchmark',
    machine: {
      browser: asText(machine.browser),
      cores: asNumber(machine.cores) ?? 0,
      isIsolated: machine.isIsolated === true,
    },
    date: asText(saved.date),
    audio: { name: asText(audio.name), seconds: asNumber(audio.seconds) ?? 0 },
    rows: rows.filter((row) => row !== null),
  };
}

const ENGINES = ['kernel', 'ort', 'vad-web'] as const;

function readRow(saved: unknown): BenchmarkRow | null {
  const row = fieldsOf(saved);
  const us = fieldsOf(row.usPerFrame);
  const live = fieldsOf(row.live);
  const engine = ENGINES.find((known) => known === row.engine);
  const figures = [row.threads, row.xRealtime, row.startupMs, row.bytes, us.p50, us.p95, us.p99];
  if (!engine || !figures.every(isNumber)) return null;
  const [threads = 0, xRealtime = 0, startupMs = 0, bytes = 0, p50 = 0, p95 = 0, p99 = 0] = figures;
  const { usPerFrame, coreShare } = live;
  return {
    ...{ engine, threads, xRealtime, startupMs, bytes },
    usPerFrame: { p50, p95, p99 },
    live: isNumber(usPerFrame) && isNumber(coreShare) ? { usPerFrame, coreShare } : null,
    maxDifference: asNumber(row.maxDifference),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Fields of an object; none of another value. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);

const asNumber = (value: unknown): number | null => (isNumber(value) ? value : null);

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Ranges of speech by the thresholds alone: from a frame at or above the upper one to the next
 * below the lower. A dictation keeps more around them, so that no word is cut.
 */
export function findSpeech(
  probabilities: readonly number[],
  totalSamples: number,
): readonly SampleRange[] {
  const { positiveSpeechThreshold, negativeSpeechThreshold } = RECORDING_VAD_OPTIONS;
  const segments: SampleRange[] = [];
  let startSample: number | null = null;
  probabilities.forEach((probability, frame) => {
    const at = frame * FRAME_SAMPLES;
    if (startSample === null && probability >= positiveSpeechThreshold) startSample = at;
    else if (startSample !== null && probability < negativeSpeechThreshold) {
      segments.push({ startSample, endSample: at });
      startSample = null;
    }
  });
  if (startSample !== null) segments.push({ startSample, endSample: totalSamples });
  return segments;
}

/** The outline of a sound: the lowest and highest sample of each stretch. */
type Waveform = {
  /** The middle of each stretch, in seconds. */
  readonly seconds: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
};

/** Divides samples into at most `stretches` equal ones, for drawing. */
export function outline(samples: Float32Array, rateHz: number, stretches: number): Waveform {
  const length = Math.max(1, Math.ceil(samples.length / stretches));
  const seconds: number[] = [];
  const low: number[] = [];
  const high: number[] = [];
  for (let start = 0; start < samples.length; start += length) {
    const stretch = samples.subarray(start, start + length);
    let least = 0;
    let most = 0;
    for (const sample of stretch) {
      if (sample < least) least = sample;
      if (sample > most) most = sample;
    }
    seconds.push((start + stretch.length / 2) / rateHz);
    low.push(least);
    high.push(most);
  }
  return { seconds, low, high };
}

/** This browser and computer. */
export function thisMachine(): Machine {
  return {
    browser: browserName(navigator.userAgent),
    cores: navigator.hardwareConcurrency,
    isIsolated: globalThis.crossOriginIsolated,
  };
}

/** Name and version out of the user agent's words; the words themselves if they are strange. */
export function browserName(userAgent: string): string {
  const known = [
    ['Edge', /Edg\/([\d.]+)/],
    ['Firefox', /Firefox\/([\d.]+)/],
    ['Chrome', /(?:Chrome|HeadlessChrome)\/([\d.]+)/],
    ['Safari', /Version\/([\d.]+).*Safari/],
  ] as const;
  for (const [name, pattern] of known) {
    const version = pattern.exec(userAgent)?.[1];
    if (version) return `${name} ${version.split('.')[0]}`;
  }
  return userAgent;
}

/**
 * The smallest step of the browser's clock, in microseconds: browsers make it coarse on purpose.
 */
export function clockTickUs(nowMs: () => number = () => performance.now()): number {
  let smallestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 20; tries++) {
    const before = nowMs();
    let after = before;
    while (after === before) after = nowMs();
    smallestMs = Math.min(smallestMs, after - before);
  }
  return smallestMs * 1_000;
}
