import '../widget/styles/tokens.css';
import '../widget/styles/base.css';
import 'uplot/dist/uPlot.min.css';
import './styles/benchmark.css';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { assertNever } from '../core/assert-never.ts';
import type { ErrorInfo } from '../core/errors.ts';
import { ResultSection, ScrollBox } from './ResultSection.tsx';
import { type BenchmarkReport, parseReport, rowId } from './report.ts';
import { type BenchmarkProgress, FULL_PLAN } from './run-benchmark.ts';
import { type BenchmarkState, useBenchmark } from './use-benchmark.ts';
import { FORMAT, LANGUAGE, rowName, STRINGS } from './words.ts';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root to draw in');

document.documentElement.lang = LANGUAGE;
document.title = STRINGS.documentTitle;
createRoot(root).render(
  <StrictMode>
    <BenchmarkPage />
  </StrictMode>,
);

/** The benchmark page: choose the audio, run, see what the numbers mean. */
function BenchmarkPage() {
  const { state, run, stop } = useBenchmark();
  const [file, setFile] = useState<File | null>(null);
  const isRunning = state.kind === 'preparing' || state.kind === 'running';
  const result = state.kind === 'done' ? state.result : null;
  return (
    <div className="benchmark">
      <header className="benchmark-head">
        <a className="benchmark-back" href={import.meta.env.BASE_URL}>
          {STRINGS.back}
        </a>
        <h1>{STRINGS.title}</h1>
        <p>{STRINGS.intro}</p>
      </header>
      <main>
        <section className="benchmark-card benchmark-start">
          <AudioChoice file={file} isDisabled={isRunning} onChange={setFile} />
          {isRunning ? (
            <button type="button" className="button is-destructive" onClick={stop}>
              {STRINGS.stop}
            </button>
          ) : (
            <button type="button" className="button is-primary" onClick={() => run(file)}>
              {state.kind === 'idle' ? STRINGS.run : STRINGS.runAgain}
            </button>
          )}
          <ProgressSection state={state} />
        </section>
        {!globalThis.crossOriginIsolated && (
          <p className="benchmark-notice">{STRINGS.notIsolated}</p>
        )}
        {result && <ResultSection result={result} />}
        <CompareSection current={result?.report ?? null} />
      </main>
    </div>
  );
}

type AudioChoiceProps = {
  /** The user's file; null for the built-in sample. */
  readonly file: File | null;
  readonly isDisabled: boolean;
  readonly onChange: (file: File | null) => void;
};

/** The built-in sample or a file of one's own. */
function AudioChoice({ file, isDisabled, onChange }: AudioChoiceProps) {
  return (
    <fieldset className="audio-choice" disabled={isDisabled}>
      <legend>{STRINGS.audioTitle}</legend>
      <p>{file?.name ?? STRINGS.builtIn}</p>
      <FileButton
        label={STRINGS.chooseFile}
        accept="audio/*,.wav,.flac,.ogg,.webm,.m4a"
        onChoose={([chosen]) => onChange(chosen ?? null)}
      />
      {file && (
        <button type="button" className="button" onClick={() => onChange(null)}>
          {STRINGS.useBuiltIn}
        </button>
      )}
    </fieldset>
  );
}

/** Progress in words and as a bar. Only beginnings and ends are announced. */
function ProgressSection({ state }: { readonly state: BenchmarkState }) {
  const isRunning = state.kind === 'preparing' || state.kind === 'running';
  const progress = state.kind === 'running' ? state.progress : null;
  return (
    <div className="benchmark-progress">
      {isRunning && (
        <>
          <progress
            aria-label={STRINGS.progressLabel}
            {...(progress && { value: progress.done, max: progress.total })}
          />
          <p>{progress ? progressText(progress) : STRINGS.preparing}</p>
        </>
      )}
      <p role="status" className={isRunning ? 'visually-hidden' : 'benchmark-end'}>
        {statusText(state)}
      </p>
    </div>
  );
}

function progressText({ phase, key, round }: BenchmarkProgress): string {
  if (phase === 'live' || !key) return STRINGS.live;
  if (phase === 'starting') return STRINGS.starting(rowName(key));
  return STRINGS.measuring(rowName(key), round, FULL_PLAN.rounds);
}

function statusText(state: BenchmarkState): string {
  switch (state.kind) {
    case 'idle':
      return '';
    case 'preparing':
      return STRINGS.preparing;
    case 'running':
      return state.progress.phase === 'live' ? STRINGS.live : '';
    case 'stopped':
      return STRINGS.stopped;
    case 'failed':
      return `${STRINGS.failed} ${failureText(state.error)}`;
    case 'done':
      return STRINGS.finished;
    default:
      return assertNever(state);
  }
}

/** The error for people; the developer's text where there is no better one. */
function failureText({ code, message }: ErrorInfo): string {
  if (code === 'asset-wrong') return STRINGS.failures.notAudio;
  return code === 'asset-unreachable' ? STRINGS.failures.notFetched : message;
}

type Comparison =
  | { readonly kind: 'none' }
  | { readonly kind: 'wrong'; readonly message: string }
  | { readonly kind: 'two'; readonly reports: readonly [BenchmarkReport, BenchmarkReport] };

/** Two saved results side by side, or a saved one and the latest. */
function CompareSection({ current }: { readonly current: BenchmarkReport | null }) {
  const [comparison, setComparison] = useState<Comparison>({ kind: 'none' });
  const choose = async (files: readonly File[]) => {
    setComparison(await compare(files, current));
  };
  return (
    <section className="benchmark-card benchmark-compare">
      <h2>{STRINGS.compareTitle}</h2>
      <p>{STRINGS.compareHint}</p>
      <FileButton
        label={STRINGS.compareChoose}
        accept=".json,application/json"
        isMultiple
        onChoose={(files) => void choose(files)}
      />
      <p role="status" className={comparison.kind === 'wrong' ? '' : 'visually-hidden'}>
        {comparison.kind === 'wrong' ? comparison.message : ''}
      </p>
      {comparison.kind === 'two' && <ComparisonTable reports={comparison.reports} />}
    </section>
  );
}

function ComparisonTable({
  reports,
}: {
  readonly reports: readonly [BenchmarkReport, BenchmarkReport];
}) {
  const [first, second] = reports;
  const later = new Map(second.rows.map((row) => [rowId(row), row]));
  const both = first.rows.flatMap((row) => {
    const other = later.get(rowId(row));
    return other ? [{ row, other }] : [];
  });
  return (
    <ScrollBox label={STRINGS.compareTitle}>
      <table>
        <caption>{STRINGS.compareCaption}</caption>
        <thead>
          <tr>
            <th scope="col">{STRINGS.compareRow}</th>
            {reports.map(({ machine, date }, index) => (
              <th scope="col" className="is-number" key={index === 0 ? 'first' : 'second'}>
                {STRINGS.machine(machine.browser, machine.cores, FORMAT.date(date))}
              </th>
            ))}
            <th scope="col" className="is-number">
              {STRINGS.compareRatio}
            </th>
          </tr>
        </thead>
        <tbody>
          {both.map(({ row, other }) => (
            <tr key={rowId(row)}>
              <th scope="row">{rowName(row)}</th>
              <td className="is-number">{FORMAT.times(row.xRealtime)}</td>
              <td className="is-number">{FORMAT.times(other.xRealtime)}</td>
              <td className="is-number is-strong">
                {FORMAT.ratio(other.xRealtime / row.xRealtime)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

async function compare(
  files: readonly File[],
  current: BenchmarkReport | null,
): Promise<Comparison> {
  const reports: BenchmarkReport[] = [];
  for (const file of files.slice(0, 2)) {
    const report = parseReport(await file.text());
    if (!report) return { kind: 'wrong', message: STRINGS.compareWrong(file.name) };
    reports.push(report);
  }
  const [first, second = current] = reports;
  if (!first || !second) return { kind: 'wrong', message: STRINGS.compareNeedsTwo };
  return { kind: 'two', reports: [first, second] };
}

type FileButtonProps = {
  readonly label: string;
  /** As for `<input type="file">`. */
  readonly accept: string;
  readonly isMultiple?: boolean;
  /** Called with at least one file. */
  readonly onChoose: (files: readonly File[]) => void;
};

/**
 * Chooses files; a label over a hidden input, since the browser's own button speaks its own
 * language.
 */
function FileButton({ label, accept, isMultiple = false, onChoose }: FileButtonProps) {
  return (
    <label className="button">
      <span>{label}</span>
      <input
        className="visually-hidden"
        type="file"
        accept={accept}
        multiple={isMultiple}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // The same file chosen again is a change, too.
          target.value = '';
          if (files.length > 0) onChoose(files);
        }}
      />
    </label>
  );
}
