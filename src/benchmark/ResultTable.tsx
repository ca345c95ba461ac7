import { STRINGS } from './benchmark-strings.ts';
import { FORMAT } from './figures.ts';
import { type BenchmarkRow, rowId } from './report.ts';
import { rowName } from './row-name.ts';
import { ScrollBox } from './ScrollBox.tsx';

/** All figures; scrolls sideways by itself where the screen is narrow. */
export function ResultTable({ rows }: { readonly rows: readonly BenchmarkRow[] }) {
  const { columns } = STRINGS;
  return (
    <>
      <ScrollBox label={STRINGS.resultTitle}>
        <table>
          <caption>{STRINGS.tableCaption}</caption>
          <thead>
            <tr>
              <th scope="col">{columns.engine}</th>
              <th scope="col" className="is-number">
                {columns.xRealtime}
              </th>
              <th scope="col" className="is-number">
                {columns.usPerFrame}
              </th>
              <th scope="col" className="is-number">
                {columns.startup}
              </th>
              <th scope="col" className="is-number">
                {columns.bytes}
              </th>
              <th scope="col" className="is-number">
                {columns.live}
              </th>
              <th scope="col" className="is-number">
                {columns.difference}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={rowId(row)} row={row} />
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

function Row({ row }: { readonly row: BenchmarkRow }) {
  const { p50, p95, p99 } = row.usPerFrame;
  return (
    <tr>
      <th scope="row">{rowName(row)}</th>
      <td className="is-number is-strong">{FORMAT.times(row.xRealtime)}</td>
      <td className="is-number">{[p50, p95, p99].map(FORMAT.us).join(' / ')}</td>
      <td className="is-number">{FORMAT.ms(row.startupMs)}</td>
      <td className="is-number">{FORMAT.megabytes(row.bytes)}</td>
      <td className="is-number">
        {row.live ? FORMAT.percent(row.live.coreShare) : STRINGS.missing}
      </td>
      <td className="is-number">
        {row.maxDifference === null ? STRINGS.missing : FORMAT.difference(row.maxDifference)}
      </td>
    </tr>
  );
}
