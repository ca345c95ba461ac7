import { MAX_AUDIO_SECONDS } from './benchmark-audio.ts';
import { STRINGS } from './benchmark-strings.ts';
import { FailureNotices } from './FailureNotices.tsx';
import { FORMAT } from './figures.ts';
import { ResultActions } from './ResultActions.tsx';
import { ResultTable } from './ResultTable.tsx';
import type { BenchmarkRow } from './report.ts';
import { SpeechPlot } from './SpeechPlot.tsx';
import { SpeedPlot } from './SpeedPlot.tsx';
import type { BenchmarkResult } from './use-benchmark.ts';
import { usePlotting } from './use-plot.ts';

/** Above this share of a core, other programs will feel it. */
const HEAVY_CORE_SHARE = 0.2;

/** What the numbers mean, the numbers, and pictures of them. */
export function ResultSection({ result }: { readonly result: BenchmarkResult }) {
  const { report, outcome, audio } = result;
  const plotting = usePlotting();
  const { browser, cores } = report.machine;
  const first = outcome.rows[0];
  return (
    <section className="benchmark-result">
      <h2>{STRINGS.resultTitle}</h2>
      {first && <Verdict row={first} />}
      <p className="benchmark-facts">
        {`${STRINGS.machine(browser, cores, FORMAT.date(report.date))}. ${report.audio.name}.${
          audio.isCut ? ` ${STRINGS.isCut(MAX_AUDIO_SECONDS / 60)}` : ''
        }`}
      </p>
      <FailureNotices failures={outcome.failures} />
      <ResultTable rows={outcome.rows} />
      <ResultActions report={report} />
      {plotting && <SpeedPlot rows={outcome.rows} plotting={plotting} />}
      {plotting && <SpeechPlot audio={audio} outcome={outcome} plotting={plotting} />}
    </section>
  );
}

/**
 * One plain sentence for the engine that the dictation uses here: the first that could be measured.
 */
function Verdict({ row }: { readonly row: BenchmarkRow }) {
  const share = row.live?.coreShare ?? 1 / row.xRealtime;
  return (
    <p className="benchmark-verdict">
      {`${STRINGS.verdict(FORMAT.times(row.xRealtime), FORMAT.percent(share))} ${
        share < HEAVY_CORE_SHARE ? STRINGS.verdictFast : STRINGS.verdictSlow
      }`}
    </p>
  );
}
