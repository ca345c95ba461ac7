import { parseArgs } from 'node:util';
import { buildIfNeeded } from '../../tools/build-all.ts';
import { type AttackRow, runAttacks } from './run-attacks.ts';
import { ATTACKS } from './suite.ts';

// npm run attack:server [-- --seed 1 --files 20000 --only words --keep folder --short]: attacks the
// built server on this machine, beside an innocent client. Ends by itself, with exit code 1 when
// something happened that must not. The same seed sends the same.
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    files: { type: 'string' },
    only: { type: 'string', default: '' },
    keep: { type: 'string', default: '.cache/attacks' },
    short: { type: 'boolean', default: false },
  },
});
const size = {
  isShort: values.short,
  seed: Number(values.seed),
  files: Number(values.files ?? (values.short ? 300 : 20_000)),
  keepIn: values.keep,
};
const attacks = ATTACKS.filter(({ name }) => name.includes(values.only));
const rows: AttackRow[] = [];

await buildIfNeeded();
console.log(`seed ${size.seed}, ${size.files} files, ${attacks.length} attacks`);
const startedMs = performance.now();
await runAttacks(attacks, size, (row) => {
  rows.push(row);
  print(row);
});

const faults = rows.flatMap((row) => row.faults);
const most = (bytes: (row: AttackRow) => number) => Math.round(Math.max(...rows.map(bytes)) / 1e6);
console.log(
  `\n${rows.length} attacks in ${Math.round((performance.now() - startedMs) / 1000)} s, seed ${size.seed}: ` +
    `${faults.length} faults; all processes at most ${most((row) => row.mostBytes)} MB, ` +
    `one decoding process at most ${most((row) => row.mostOfOneDecoder)} MB`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

function print(row: AttackRow): void {
  const { alone, beside } = row;
  console.log(
    `\n${row.faults.length === 0 ? 'held off' : 'HARM'}: ${row.name} (${row.seconds.toFixed(1)} s)`,
  );
  console.log(`  answers ${JSON.stringify(row.outcomes)}`);
  for (const [name, value] of Object.entries(row.figures)) console.log(`  ${name}: ${value}`);
  const ms = (value: number) => Math.round(value);
  const ratio = beside.p95Ms / alone.p95Ms;
  console.log(
    `  innocent: p50 ${ms(beside.p50Ms)} p95 ${ms(beside.p95Ms)} ms of ${beside.answers} answers; ` +
      `alone p50 ${ms(alone.p50Ms)} p95 ${ms(alone.p95Ms)} of ${alone.answers}; ` +
      `p95 ${ratio.toFixed(2)} times as long${ratio > 2 ? ' (more than 2)' : ''}`,
  );
  console.log(
    `  memory: all at most ${ms(row.mostBytes / 1e6)} MB, one decoder ${ms(row.mostOfOneDecoder / 1e6)}`,
  );
  for (const fault of row.faults.slice(0, 20)) console.log(`  FAULT ${fault}`);
}
