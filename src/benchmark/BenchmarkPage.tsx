import { useState } from 'react';
import { AudioChoice } from './AudioChoice.tsx';
import { STRINGS } from './benchmark-strings.ts';
import { CompareSection } from './CompareSection.tsx';
import { ProgressSection } from './ProgressSection.tsx';
import { ResultSection } from './ResultSection.tsx';
import { useBenchmark } from './use-benchmark.ts';

/** The benchmark page: choose the audio, run, see what the numbers mean. */
export function BenchmarkPage() {
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
