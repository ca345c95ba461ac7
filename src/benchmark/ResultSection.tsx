import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import type { ErrorInfo } from '../core/errors.ts';
import { copyText } from '../field/copy-text.ts';
import { SpeechPlot, SpeedBars, usePlotting } from './plots.tsx';
import { type BenchmarkReport, type BenchmarkRow, rowId } from './report.ts';
import type { BenchmarkOutcome } from './run-benchmark.ts';
import { type BenchmarkResult, MAX_AUDIO_SECONDS } from './use-benchmark.ts';
import { FORMAT, rowName, STRINGS } from './words.ts';

/** Above this share of a core, other programs will feel it. */
const HEAVY_CORE_SHARE = 0.2;

/** The figures, their meaning, and plots of them. */
export function ResultSection({ result }: { readonly result: BenchmarkResult }) {
  const { report, outcome, audio } = result;
  const plotting = usePlotting();
  const { browser, cores } = report.machine;
  const first = outcome.rows[0];
  return (
    <section className="benchmark-result">
      <h2>{STRINGS.resultTitle}</h2>
      {first && <Verdict row={first} />}
      {outcome.rows.some(isUnsteady) && <p className="benchmark-notice">{STRINGS.busy}</p>}
      <SpeedBars rows={outcome.rows} />
      <p className="benchmark-facts">
        {`${STRINGS.machine(browser, cores, FORMAT.date(report.date))}. ${report.audio.name}.${
          audio.isCut ? ` ${STRINGS.isCut(MAX_AUDIO_SECONDS / 60)}` : ''
        }`}
      </p>
      <FailureNotices failures={outcome.failures} />
      <ResultTable rows={outcome.rows} />
      <ResultActions report={report} />
      {plotting && <SpeechPlot audio={audio} outcome={outcome} plotting={plotting} />}
    </section>
  );
}

/** Some frames took so much longer than most that something else had the processor meanwhile. */
const UNSTEADY = 2;

function isUnsteady({ usPerFrame: { p50, p95 } }: BenchmarkRow): boolean {
  return p95 > UNSTEADY * p50;
}

/**
 * One plain sentence for the engine that the dictation uses here: the first that could be measured.
 */
function Verdict({ row }: { readonly row: BenchmarkRow }) {
  const share = row.live?.coreShare ?? 1 / row.xRealtime;
  return (
    <p className="benchmark-verdict">
      {`${STRINGS.verdict(FORMAT.percent(share))} ${
        share < HEAVY_CORE_SHARE ? STRINGS.verdictFast : STRINGS.verdictSlow
      } ${STRINGS.verdictTimes(FORMAT.times(row.xRealtime))}`}
    </p>
  );
}

/** Engines that could not be measured, and why. */
export function FailureNotices({ failures }: Pick<BenchmarkOutcome, 'failures'>) {
  return failures.map(({ key, error }) => (
    <p className="benchmark-notice" key={rowName(key)}>
      {`${STRINGS.partFailed} ${rowName(key)}. ${failureText(error)}`}
    </p>
  ));
}

/** For people; the developer's text where there is no better one. */
function failureText({ code, message }: ErrorInfo): string {
  return code === 'worker-timeout' ? STRINGS.failures.noAnswer : message;
}

/** The table's columns after the engine's name, each with its cell's text. */
const COLUMNS: readonly (readonly [string, (row: BenchmarkRow) => string])[] = [
  [STRINGS.columns.xRealtime, ({ xRealtime }) => FORMAT.times(xRealtime)],
  [
    STRINGS.columns.usPerFrame,
    ({ usPerFrame: { p50, p95, p99 } }) => [p50, p95, p99].map(FORMAT.us).join(' / '),
  ],
  [STRINGS.columns.startup, ({ startupMs }) => FORMAT.ms(startupMs)],
  [STRINGS.columns.bytes, ({ bytes }) => FORMAT.megabytes(bytes)],
  [STRINGS.columns.live, ({ live }) => (live ? FORMAT.percent(live.coreShare) : STRINGS.missing)],
  [
    STRINGS.columns.difference,
    ({ maxDifference: most }) => (most === null ? STRINGS.missing : FORMAT.difference(most)),
  ],
];

/** All figures; scrolls sideways by itself where the screen is narrow. */
function ResultTable({ rows }: { readonly rows: readonly BenchmarkRow[] }) {
  return (
    <>
      <ScrollBox label={STRINGS.resultTitle}>
        <table>
          <caption>{STRINGS.tableCaption}</caption>
          <thead>
            <tr>
              <th scope="col">{STRINGS.columns.engine}</th>
              {COLUMNS.map(([name]) => (
                <th key={name} scope="col" className="is-number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={rowId(row)}>
                <th scope="row">{rowName(row)}</th>
                {COLUMNS.map(([name, textOf], column) => (
                  <td key={name} className={`is-number ${column === 0 ? 'is-strong' : ''}`}>
                    {textOf(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <ul className="benchmark-notes">
        {STRINGS.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </>
  );
}

/** Time for which a copy is confirmed, as everywhere. */
const COPIED_MS = 2_000;

/** Copies or saves a result as JSON. */
function ResultActions({ report }: { readonly report: BenchmarkReport }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const text = JSON.stringify(report, null, 2);
  const copy = async () => {
    setIsCopied(await copyText(text, { clipboard: navigator.clipboard, log: console }));
  };
  return (
    <p className="benchmark-actions">
      <button type="button" className="button" disabled={isCopied} onClick={copy}>
        {isCopied ? STRINGS.copied : STRINGS.copy}
      </button>
      <button type="button" className="button" onClick={() => save(report, text)}>
        {STRINGS.save}
      </button>
    </p>
  );
}

function save({ date }: BenchmarkReport, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `diktera-${date.slice(0, 19).replaceAll(':', '')}.json`;
  link.click();
  // Not at once: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Something to scroll must be reached by the keyboard; not all browsers see to that themselves. */
const REACHABLE = { role: 'region', tabIndex: 0 } as const;

type ScrollBoxProps = { readonly label: string; readonly children: ReactNode };

/** Holds what may be wider than the screen, and scrolls sideways by itself. */
export function ScrollBox({ label, children }: ScrollBoxProps) {
  return (
    <div className="scroll-box" {...REACHABLE} {...{ 'aria-label': label }}>
      {children}
    </div>
  );
}
