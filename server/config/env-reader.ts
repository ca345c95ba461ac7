import type { VariableName } from './variables.ts';

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
        // What is asked is written behind it, and would be part of the query.
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
