import { useState } from 'react';
import { STRINGS } from './benchmark-strings.ts';
import { FileButton } from './FileButton.tsx';
import { FORMAT } from './figures.ts';
import { type BenchmarkReport, parseReport, rowId } from './report.ts';
import { rowName } from './row-name.ts';
import { ScrollBox } from './ScrollBox.tsx';

type Comparison =
  | { readonly kind: 'none' }
  | { readonly kind: 'wrong'; readonly message: string }
  | { readonly kind: 'two'; readonly reports: readonly [BenchmarkReport, BenchmarkReport] };

/** Two saved results side by side, or a saved one and the latest. */
export function CompareSection({ current }: { readonly current: BenchmarkReport | null }) {
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
