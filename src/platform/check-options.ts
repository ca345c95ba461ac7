import { DikteraError } from '../core/errors.ts';

/** The error of the first option that is none; null where all are. */
export function unknownOption(given: object, names: readonly string[]): DikteraError | null {
  const name = Object.keys(given).find((each) => !names.includes(each));
  if (name === undefined) return null;
  const near = names.find((each) => isNear(each, name));
  const hint = near ? `: is it '${near}'?` : `; there are ${names.join(', ')}`;
  return new DikteraError('bad-option', `'${name}' is no option here${hint}`);
}

/** Told already: what draws again and again tells once. */
const told = new Set<string>();

/** Writes an error to the console once. */
export function complainOnce(where: string, error: unknown): void {
  const text = `${where}: ${error instanceof Error ? error.message : String(error)}`;
  if (told.has(text)) return;
  told.add(text);
  console.error(where, error);
}

/** The options that are some; each other one is an error in the console, once. */
export function knownOptions<Options extends object>(
  given: Options,
  names: readonly string[],
  where: string,
): Options {
  const known = Object.entries(given).filter(([name]) => names.includes(name));
  for (const name of Object.keys(given)) {
    const wrong = unknownOption({ [name]: null }, names);
    if (wrong) complainOnce(where, wrong);
  }
  return Object.fromEntries(known) as Options;
}

/** True if one is the other but for capitals, or a letter or two. */
function isNear(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  if (a === b || a.includes(b) || b.includes(a)) return true;
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return Math.max(a.length, b.length) - start - end <= 2;
}
