import { VARIABLES, type VariableName } from './variables.ts';

/** A variable that is none of ours and looks very much like one. */
export type Misspelling = { readonly given: string; readonly meant: VariableName };

/** Shorter ones, such as PORT and HOST, are too near to words that mean something else. */
const MIN_CHARACTERS = 6;

/** Names that others gave a meaning, near to ours as they are. */
const OTHERS: ReadonlySet<string> = new Set(['REDIS_URI', 'http_proxy', 'https_proxy', 'no_proxy']);

/**
 * Names that are one letter away from ours (added, missing, changed or swapped), or differ only in
 * case, dashes or underlines. Whoever set API_TOKEN meant to lock the server, and would have an
 * open one.
 */
export function findMisspellings(names: readonly string[]): readonly Misspelling[] {
  const known = Object.keys(VARIABLES) as VariableName[];
  return names
    .filter((name) => !(name in VARIABLES) && !OTHERS.has(name))
    .flatMap((given) => {
      const meant = known.find((name) => isNear(given, name));
      return meant === undefined ? [] : [{ given, meant }];
    });
}

function isNear(given: string, known: string): boolean {
  if (bare(given) === bare(known)) return true;
  return known.length >= MIN_CHARACTERS && isOneSlip(given.toUpperCase(), known);
}

const bare = (name: string) => name.toUpperCase().replace(/[-_]/g, '');

function isOneSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const isSwapped = restA[0] === restB[1] && restA[1] === restB[0];
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (isSwapped && restA.slice(2) === restB.slice(2))
  );
}
