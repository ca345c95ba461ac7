import { type BenchmarkRow, rowId } from './report.ts';
import { ScrollBox } from './ScrollBox.tsx';
import { FORMAT, rowName, WORDS } from './strings.ts';

/** All figures; scrolls sideways by itself where the screen is narrow. */
export function ResultTable({ rows }: { readonly rows: readonly BenchmarkRow[] }) {
  const { columns } = WORDS;
  return (
    <>
      <ScrollBox label={WORDS.resultTitle}>
        <table>
          <caption>{WORDS.tableCaption}</caption>
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
        {WORDS.notes.map((note) => (
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
      <td className="is-number">{row.live ? FORMAT.percent(row.live.coreShare) : WORDS.missing}</td>
      <td className="is-number">
        {row.maxDifference === null ? WORDS.missing : FORMAT.difference(row.maxDifference)}
      </td>
    </tr>
  );
}
