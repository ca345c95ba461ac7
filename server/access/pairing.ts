import { randomInt, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock } from '../../src/core/clock.ts';

/** A code is of no use afterwards. */
const CODE_MS = 5 * 60_000;

/** Wrong ones that a code stands; of a million codes that many can be guessed. */
const TRIES = 5;

const DIGITS = 6;

/** An id that Chrome and Edge give; and the origin of an extension's own pages. */
const ID = /^[a-p]{32}$/;
const SCHEME = 'chrome-extension://';

/** The browser extensions of this machine that were paired with its server. */
export type Pairing = ReturnType<typeof createPairing>;

/** The answer to a code: paired, or how many more tries the code stands; 0 where there is none. */
export type PairingAnswer = { readonly isPaired: boolean; readonly triesLeft: number };

type PairingPorts = {
  /** Null where it is not to be remembered across restarts. */
  readonly file: string | null;
  readonly clock: Clock;
  /** Called when the file cannot be read or written: what was paired holds until the server ends. */
  readonly onFailure: (error: unknown) => void;
};

/**
 * Pairs a browser extension with the server by a code of six digits: a person has the server's own
 * page show it, and types it in the extension. One code at a time, for five minutes and five tries;
 * `file` remembers who was paired.
 */
export function createPairing({ file, clock, onFailure }: PairingPorts) {
  /** Null before somebody has asked. */
  let known: Set<string> | null = null;
  let current: { readonly code: string; readonly untilMs: number; tries: number } | null = null;

  function ids(): Set<string> {
    known ??= new Set(stored());
    return known;
  }

  function stored(): readonly string[] {
    return file === null ? [] : read(file, onFailure);
  }

  function save(): void {
    if (file === null) return;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const next = `${file}.${process.pid}`;
      writeFileSync(next, `${JSON.stringify({ extensions: [...ids()] }, null, 2)}\n`, {
        mode: 0o600,
      });
      renameSync(next, file);
    } catch (error) {
      onFailure(error);
    }
  }

  return {
    /** True if an origin is a paired extension's. */
    has: (origin: string): boolean => ids().has(idOf(origin) ?? ''),
    /** The ids of all that are paired. */
    list: (): readonly string[] => [...ids()],
    /** A new code, which is the only one from now on. */
    newCode(): string {
      const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
      current = { code, untilMs: clock.nowMs() + CODE_MS, tries: TRIES };
      return code;
    },
    /** Pairs the extension of an origin if it says the code; blanks in it do not matter. */
    tryCode(origin: string, said: string): PairingAnswer {
      const id = idOf(origin);
      if (current !== null && clock.nowMs() >= current.untilMs) current = null;
      if (current === null || id === null) return { isPaired: false, triesLeft: 0 };
      const code = said.replace(/\s/g, '');
      // Asked for how many there are, and nothing guessed.
      if (code === '') return { isPaired: false, triesLeft: current.tries };
      if (isSame(code, current.code)) {
        current = null;
        // Another server of this machine may have paired some since.
        for (const one of [...stored(), id]) ids().add(one);
        save();
        return { isPaired: true, triesLeft: 0 };
      }
      current.tries -= 1;
      const triesLeft = current.tries;
      if (triesLeft === 0) current = null;
      return { isPaired: false, triesLeft };
    },
    /** Forgets an extension, which may ask no more from now on. */
    remove(id: string): void {
      if (ids().delete(id)) save();
    },
  };
}

/** True for the origin of a browser extension's own pages. */
export function isExtensionOrigin(origin: string): boolean {
  return idOf(origin) !== null;
}

function idOf(origin: string): string | null {
  const id = origin.startsWith(SCHEME) ? origin.slice(SCHEME.length) : '';
  return ID.test(id) ? id : null;
}

function isSame(said: string, code: string): boolean {
  const [a, b] = [Buffer.from(said), Buffer.from(code)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function read(file: string, onFailure: (error: unknown) => void): readonly string[] {
  try {
    const { extensions } = JSON.parse(readFileSync(file, 'utf8')) as { extensions?: unknown };
    return Array.isArray(extensions) ? extensions.filter((id) => ID.test(String(id))) : [];
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) onFailure(error);
    return [];
  }
}

/** The file where nothing else is said: in the platform's folder for what programs remember. */
export function pairingFile(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  const name = join('diktera', 'paired-extensions.json');
  const home = env.HOME || homedir();
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), name);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', name);
  // A relative one does not count, by the convention itself.
  const state = env.XDG_STATE_HOME?.startsWith('/')
    ? env.XDG_STATE_HOME
    : join(home, '.local', 'state');
  return join(state, name);
}
