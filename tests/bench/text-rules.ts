import { HOSTILE_TEXTS } from '../helpers/hostile-texts.ts';
import { RULES, timeOf } from '../helpers/text-rule-table.ts';

/** Prints how long each rule takes for each hostile text, in ms: `text-rules.ts [characters]`. */
const characters = Number(process.argv[2] ?? 100_000);
const names = Object.keys(RULES);
const row = (cells: readonly string[]) =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(36) : cell.padStart(11))).join('');

console.log(row([`ms for ${characters} characters`, ...names.map((name) => name.slice(0, 10))]));
for (const { name, ofLength } of HOSTILE_TEXTS) {
  const text = ofLength(characters);
  const times = Object.values(RULES).map((rule) => timeOf(rule, text));
  console.log(row([name, ...times.map((ms) => ms.toFixed(ms < 10 ? 1 : 0))]));
}
