import type { ErrorInfo } from '../core/errors.ts';
import type { RowKey } from './report.ts';

const numbers = new Intl.NumberFormat('sv', { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat('sv', { maximumFractionDigits: 0 });
const megabytes = new Intl.NumberFormat('sv', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const percent = new Intl.NumberFormat('sv', {
  style: 'percent',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const dates = new Intl.DateTimeFormat('sv', { dateStyle: 'long', timeStyle: 'short' });

const ENGINE_NAMES = { kernel: 'Kärnan', ort: 'onnxruntime-web', 'vad-web': 'vad-web' } as const;
const MODEL_NAMES = { v6: 'v6.2', v4: 'v4' } as const;

const threadsOf = (threads: number) => (threads === 1 ? '1 tråd' : `${threads} trådar`);

/** Figures as people read them. */
export const FORMAT = {
  times: (value: number) => whole.format(value < 100 ? Number(value.toPrecision(2)) : value),
  us: (value: number) => numbers.format(value),
  ms: (value: number) => `${whole.format(value)} ms`,
  megabytes: (bytes: number) => `${megabytes.format(bytes / 1e6)} MB`,
  percent: (share: number) => percent.format(share),
  difference: (value: number) => (value === 0 ? '0' : value.toExponential(1).replace('.', ',')),
  ratio: (value: number) => `${numbers.format(value)} ×`,
  date: (iso: string) => {
    const date = new Date(iso);
    return Number.isNaN(date.getTime()) ? iso : dates.format(date);
  },
} as const;

/** Every word of the benchmark page. */
export const WORDS = {
  back: 'Till dikteringen',
  title: 'Hur snabb är taldetekteringen här?',
  intro:
    'När du dikterar lyssnar Diktera efter tal 10 gånger i sekunden. Här mäts hur mycket av datorn det tar, med vår egen kärna och med onnxruntime-web. Allt sker på datorn: inget ljud skickas.',
  run: 'Kör',
  runAgain: 'Kör igen',
  stop: 'Stoppa',
  audioTitle: 'Ljud att mäta på',
  builtIn: 'Inbyggt prov: två meningar, 6 sekunder',
  chooseFile: 'Välj egen ljudfil',
  useBuiltIn: 'Använd det inbyggda provet',
  isCut: (minutes: number) => `Bara filens första ${minutes} minuter används.`,
  preparing: 'Läser ljudet …',
  starting: (key: RowKey) => `Startar ${rowName(key)}`,
  measuring: (key: RowKey, round: number, rounds: number) =>
    round === 0 ? `Uppvärmning: ${rowName(key)}` : `Omgång ${round} av ${rounds}: ${rowName(key)}`,
  live: 'Mäter vad det kostar när någon talar',
  progressLabel: 'Så långt har mätningen kommit',
  stopped: 'Mätningen stoppades. Inga siffror sparades.',
  failed: 'Mätningen gick inte att göra.',
  finished: 'Mätningen är klar.',
  partFailed: 'Gick inte att mäta:',
  verdict: (times: string, share: string) =>
    `Den här datorn klarar ${times} gånger realtid: när du dikterar går ${share} av en processorkärna åt till att lyssna efter tal.`,
  verdictFast: 'Det märks inte.',
  verdictSlow: 'Det är på gränsen: stäng andra program när du dikterar.',
  resultTitle: 'Resultat',
  tableCaption: 'Median över fem omgångar i turordning; den första omgången räknas bort.',
  columns: {
    engine: 'Motor och modell',
    xRealtime: 'Gånger realtid',
    usPerFrame: 'µs per ruta: p50 / p95 / p99',
    startup: 'Start',
    bytes: 'Hämtas',
    live: 'Kostnad vid tal',
    difference: 'Största skillnad',
  },
  notes: [
    'En ruta är 96 ms ljud. Gånger realtid: så många sekunder ljud som bedöms på en sekund.',
    'Kostnad vid tal: andel av en processorkärna när rutorna kommer en i taget, som vid diktering.',
    'Största skillnad: i sannolikhet för tal, mot onnxruntime-web med en tråd och samma modell.',
  ],
  notIsolated:
    'Sidan är inte isolerad från andra, så trådar går inte att mäta och webbläsarens klocka är grov.',
  speedTitle: 'Gånger realtid',
  speedAlt: 'Stapeldiagram med logaritmisk skala; siffrorna står i tabellen.',
  speechTitle: 'Sannolikhet för tal, ljudet och funna segment',
  speechAlt: (count: number) =>
    `Diagram över sannolikheten för tal ovanför ljudets vågform. ${count} segment med tal hittades; de är tonade.`,
  copy: 'Kopiera som JSON',
  copied: 'Kopierat',
  save: 'Spara som JSON',
  compareTitle: 'Jämför två resultat',
  compareHint: 'Välj två sparade resultat, eller ett att jämföra med mätningen ovan.',
  compareChoose: 'Välj sparade resultat',
  compareWrong: (name: string) => `${name} är inget sparat resultat.`,
  compareNeedsTwo: 'Det behövs två resultat att jämföra.',
  compareCaption: 'Gånger realtid',
  compareRow: 'Motor och modell',
  compareRatio: 'Andra mot första',
  missing: '–',
  machine: (browser: string, cores: number, date: string) =>
    `${browser}, ${cores} processorkärnor, ${date}`,
} as const;

/** What went wrong, for people; the developer's words where there are no better ones. */
export function failureWords({ code, message }: ErrorInfo): string {
  if (code === 'asset-wrong') return 'Filen är inget ljud som webbläsaren kan spela.';
  if (code === 'asset-unreachable')
    return 'Något kunde inte hämtas: kontrollera nätet, försök igen.';
  return message;
}

/** An engine, a model and its threads, as in "Kärnan v6.2". */
export function rowName({ engine, model, threads }: RowKey): string {
  const name = `${ENGINE_NAMES[engine]} ${MODEL_NAMES[model]}`;
  return engine === 'ort' ? `${name}, ${threadsOf(threads)}` : name;
}

/** The same where there is little room: the engine, and the model with its threads. */
export function shortRowName({ engine, model, threads }: RowKey): readonly [string, string] {
  const name = { kernel: 'Kärnan', ort: 'ort', 'vad-web': 'vad-web' }[engine];
  return [name, engine === 'ort' ? `${MODEL_NAMES[model]} ×${threads}` : MODEL_NAMES[model]];
}
