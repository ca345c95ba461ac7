import { VARIABLES, type VariableName } from './variables.ts';

/** A variable that is none of ours and looks very much like one. */
type Misspelling = { readonly given: string; readonly meant: VariableName };

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

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment holds values that cannot be used; the message lists every one of them. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
}

/** Reads variables one by one and remembers what is wrong; an empty variable counts as absent. */
export type EnvReader = {
  text(name: VariableName): string | null;
  /** A whole number from `least` to `most`. */
  whole(name: VariableName, least: number, most: number, absent: number): number;
  oneOf<T extends string>(name: VariableName, known: readonly T[], absent: T): T;
  /** Parts between commas, without empty ones; a value of commas and spaces only is a problem. */
  list(name: VariableName): readonly string[];
  /** An http(s) address without the slash at its end; `schemes` for others. */
  url(name: VariableName, schemes?: readonly string[]): string | null;
  /** The same written small, as proxies are, else `text`. */
  eitherCase(name: VariableName): string | null;
  /** Adds a problem found elsewhere. */
  complain(problem: string): void;
  /** Throws a ConfigError when there was any problem. */
  finish(): void;
};

/** Makes a reader of `env`. */
export function createEnvReader(env: Environment): EnvReader {
  const problems: string[] = [];
  const text = (name: VariableName) => env[name]?.trim() || null;
  return {
    text,
    eitherCase: (name) => env[name.toLowerCase()]?.trim() || text(name),
    whole(name, least, most, absent) {
      const given = text(name);
      if (given === null) return absent;
      const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
      if (value >= least && value <= most) return value;
      problems.push(`${name} must be a whole number from ${least} to ${most}, not '${given}'`);
      return absent;
    },
    oneOf(name, known, absent) {
      const given = text(name);
      if (given === null) return absent;
      const found = known.find((one) => one === given);
      if (found === undefined) {
        problems.push(`${name} must be one of ${known.join(', ')}, not '${given}'`);
      }
      return found ?? absent;
    },
    list(name) {
      const given = env[name] ?? '';
      const parts = given
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
      // Whoever wrote commas or spaces only meant something, and would get the opposite.
      if (given !== '' && parts.length === 0) {
        problems.push(`${name} is set, but nothing stands in it; leave it out or give it a value`);
      }
      return parts;
    },
    url(name, schemes = ['http', 'https']) {
      const given = text(name);
      if (given === null) return null;
      const scheme = URL.canParse(given) ? new URL(given).protocol.slice(0, -1) : '';
      if (schemes.includes(scheme)) {
        // The path is written behind it, and would be part of the query.
        if (!scheme.startsWith('http') || !/[?#]/.test(given)) return given.replace(/\/+$/, '');
        problems.push(`${name} must be an address without ? and #`);
        return null;
      }
      // An address can hold a password, so it is not repeated.
      problems.push(`${name} must be an address that begins with ${schemes.join(':// or ')}://`);
      return null;
    },
    complain: (problem) => void problems.push(problem),
    finish() {
      if (problems.length > 0) throw new ConfigError(problems.join('\n'));
    },
  };
}
