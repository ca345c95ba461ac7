import type { Translated } from '../core/translated.ts';

/** Every text of the benchmark page, in Swedish. */
export const BENCHMARK_SWEDISH = {
  documentTitle: 'Mätning – Diktera',
  kernel: 'Dikteras egen motor',
  threads: (count: number) => (count === 1 ? '1 tråd' : `${count} trådar`),
  back: 'Till dikteringen',
  title: 'Hur snabb är taldetekteringen här?',
  intro:
    'När du dikterar lyssnar Diktera efter tal 10 gånger i sekunden. Här mäts hur mycket av datorn det tar, med vår egen motor och med onnxruntime-web. Allt sker på datorn: inget ljud skickas.',
  run: 'Kör',
  runAgain: 'Kör igen',
  stop: 'Stoppa',
  audioTitle: 'Ljud att mäta på',
  builtIn: 'Inbyggt prov: två meningar, 6 sekunder',
  chooseFile: 'Välj egen ljudfil',
  useBuiltIn: 'Använd det inbyggda provet',
  isCut: (minutes: number) => `Bara filens första ${minutes} minuter används.`,
  preparing: 'Läser ljudet …',
  starting: (row: string) => `Startar ${row}`,
  measuring: (row: string, round: number, rounds: number) =>
    round === 0 ? `Uppvärmning: ${row}` : `Omgång ${round} av ${rounds}: ${row}`,
  live: 'Mäter vad det kostar när någon talar',
  progressLabel: 'Så långt har mätningen kommit',
  stopped: 'Mätningen stoppades. Inga siffror sparades.',
  failed: 'Mätningen gick inte att göra.',
  finished: 'Mätningen är klar.',
  partFailed: 'Gick inte att mäta:',
  verdict: (share: string) => `Att lyssna tar ${share} av en processorkärna på den här datorn.`,
  verdictTimes: (times: string) => `Motorn hinner med ${times} sekunder ljud på en sekund.`,
  busy: 'Datorn gör något annat samtidigt, så siffrorna är osäkra. Stäng andra program och kör igen.',
  verdictFast: 'Det märks inte.',
  verdictSlow: 'Det är på gränsen: stäng andra program när du dikterar.',
  resultTitle: 'Resultat',
  tableCaption: 'Median över fem omgångar i turordning; den första omgången räknas bort.',
  columns: {
    engine: 'Motor',
    xRealtime: 'Gånger realtid',
    usPerFrame: 'µs per 96 ms ljud: p50 / p95 / p99',
    startup: 'Start',
    bytes: 'Hämtas',
    live: 'Kostnad vid tal',
    difference: 'Största skillnad',
  },
  notes: [
    'Gånger realtid: så många sekunder ljud som bedöms på en sekund.',
    'Kostnad vid tal: andel av en processorkärna när ljudet kommer 96 ms i taget, som vid diktering.',
    'Största skillnad: i sannolikhet för tal, mot onnxruntime-web med en tråd.',
  ],
  notIsolated:
    'Sidan är inte isolerad från andra, så trådar går inte att mäta och webbläsarens klocka är grov.',
  speedTitle: 'Sekunder ljud på en sekund (varje streck är tio gånger det förra)',
  speechTitle: 'Sannolikhet för tal, och ljudet: tal i grönt, tystnad i grått',
  speechAlt: (count: number) =>
    `Diagram över sannolikheten för tal ovanför ljudets vågform. Tal hittades på ${count} ställen; de är gröna.`,
  copy: 'Kopiera som JSON',
  copied: 'Kopierat',
  save: 'Spara som JSON',
  compareTitle: 'Jämför två resultat',
  compareHint: 'Välj två sparade resultat, eller ett att jämföra med mätningen ovan.',
  compareChoose: 'Välj sparade resultat',
  compareWrong: (name: string) => `${name} är inget sparat resultat.`,
  compareNeedsTwo: 'Det behövs två resultat att jämföra.',
  compareCaption: 'Gånger realtid',
  compareRow: 'Motor',
  compareRatio: 'Andra mot första',
  missing: '–',
  machine: (browser: string, cores: number, date: string) =>
    `${browser}, ${cores} processorkärnor, ${date}`,
  failures: {
    notAudio: 'Filen är inget ljud som webbläsaren kan spela.',
    notFetched: 'Något kunde inte hämtas: kontrollera nätet, försök igen.',
    noAnswer: 'Den slutade svara.',
  },
} as const;

/** Every text of the benchmark page, in some language. */
export type BenchmarkStrings = Translated<typeof BENCHMARK_SWEDISH>;
