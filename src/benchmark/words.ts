import { BENCHMARK_ENGLISH } from './benchmark-strings-en.ts';
import { BENCHMARK_SWEDISH, type BenchmarkStrings } from './benchmark-strings-sv.ts';
import type { RowKey } from './report.ts';

/** The dictation page names its language in the link; the page by itself is in Swedish. */
export const LANGUAGE = new URLSearchParams(location.search).get('lang') === 'en' ? 'en' : 'sv';

/** The page's texts. */
export const STRINGS: BenchmarkStrings = LANGUAGE === 'en' ? BENCHMARK_ENGLISH : BENCHMARK_SWEDISH;

const numbers = new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
const megabytes = new Intl.NumberFormat(LANGUAGE, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const percent = new Intl.NumberFormat(LANGUAGE, {
  style: 'percent',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const dates = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'long', timeStyle: 'short' });

const decimalMark = numbers.format(0.5).charAt(1);

/** Figures as people read them. */
export const FORMAT = {
  times: (value: number) => whole.format(value < 100 ? Number(value.toPrecision(2)) : value),
  us: (value: number) => numbers.format(value),
  ms: (value: number) => `${whole.format(value)} ms`,
  /** A place on an axis. */
  place: (value: number) => numbers.format(value),
  megabytes: (bytes: number) => `${megabytes.format(bytes / 1e6)} MB`,
  percent: (share: number) => percent.format(share),
  difference: (value: number) =>
    value === 0 ? '0' : value.toExponential(1).replace('.', decimalMark),
  ratio: (value: number) => `${numbers.format(value)} ×`,
  date: (iso: string) => {
    const date = new Date(iso);
    return Number.isNaN(date.getTime()) ? iso : dates.format(date);
  },
} as const;

const ENGINE_NAMES = {
  kernel: STRINGS.kernel,
  ort: 'onnxruntime-web',
  'vad-web': 'vad-web',
} as const;

/** An engine and its threads, as in "onnxruntime-web, 2 trådar". */
export function rowName({ engine, threads }: RowKey): string {
  const name = ENGINE_NAMES[engine];
  return engine === 'ort' ? `${name}, ${STRINGS.threads(threads)}` : name;
}
