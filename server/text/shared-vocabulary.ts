import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '../../src/core/clock.ts';
import type { Replacement } from '../../src/core/text/replacements.ts';
import { readRulesValue } from '../../src/core/text/rules-file.ts';
import type { VocabularyEntry } from '../../src/core/text/vocabulary.ts';

/** Names, terms and snippets that an operator has for all who use the server. */
export type SharedLists = {
  readonly vocabulary: readonly VocabularyEntry[];
  readonly replacements: readonly Replacement[];
};

type SharedFile = SharedLists & {
  /** Stands for what the file holds. */
  readonly version: string;
  /** Additional lists for single tokens, by the token's name in the log. */
  readonly byToken: ReadonlyMap<string, SharedLists>;
};

/** The file is checked for changes at most this often. */
const LOOK_AFTER_MS = 1_000;

const NOTHING: SharedLists = { vocabulary: [], replacements: [] };

/** The operator's vocabulary. */
export type SharedVocabulary = ReturnType<typeof createSharedVocabulary>;

/**
 * Makes the operator's vocabulary of a file, read anew when it changes; without a path it is empty.
 * A file that is damaged, or gone, is told once, and what was read before stays.
 */
export function createSharedVocabulary(
  path: string | null,
  ports: {
    readonly clock: Clock;
    /**
     * Called with the reason why the file cannot be used, without its words; with null once it has
     * been read.
     */
    readonly onRead: (problem: string | null, entries: number) => void;
  },
) {
  let file: SharedFile | null = null;
  let seen = '';
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  async function read(from: string): Promise<void> {
    const facts = await stat(from).catch(() => null);
    const now = facts === null ? 'gone' : `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
    if (now === seen) return;
    seen = now;
    try {
      file = fileOf(await readFile(from, 'utf8'));
      ports.onRead(null, file.vocabulary.length + file.replacements.length);
    } catch (error) {
      ports.onRead(error instanceof Error ? error.message : String(error), 0);
    }
  }

  async function look(): Promise<void> {
    if (path === null || ports.clock.nowMs() - lookedAtMs < LOOK_AFTER_MS) return;
    looking ??= read(path).finally(() => {
      lookedAtMs = ports.clock.nowMs();
      looking = null;
    });
    await looking;
  }

  return {
    /** Stands for what the file holds now; null where there is none. */
    async version(): Promise<string | null> {
      await look();
      return file?.version ?? null;
    },
    /** The lists for everybody, with those for the token. */
    async listsFor(tokenId: string | null): Promise<SharedLists> {
      await look();
      if (file === null) return NOTHING;
      const own = (tokenId !== null && file.byToken.get(tokenId)) || NOTHING;
      return {
        vocabulary: [...file.vocabulary, ...own.vocabulary],
        replacements: [...file.replacements, ...own.replacements],
      };
    },
  };
}

/** Throws with what is wrong, in no word of the file: they are people's names, and the log has none. */
function fileOf(text: string): SharedFile {
  const value = jsonOf(text);
  const lists = listsOf(value, 'the file');
  const { tokens = {} } = Object(value) as { readonly tokens?: unknown };
  const byToken = new Map(
    Object.entries(Object(tokens) as object).map(([token, own], at) => [
      token,
      listsOf(own, `entry ${at + 1} of tokens`),
    ]),
  );
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 16);
  return { ...lists, version, byToken };
}

/** The engine's own error quotes what stands where it ended. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const line = at === undefined ? '' : `: line ${text.slice(0, Number(at)).split('\n').length}`;
    throw new Error(`the file is no JSON${line}`);
  }
}

function listsOf(value: unknown, what: string): SharedLists {
  const isOnlyOfTokens = typeof value === 'object' && value !== null && 'tokens' in value;
  const read = readRulesValue(isOnlyOfTokens ? { vocabulary: [], ...value } : value);
  if (read === null) throw new Error(`${what} has neither vocabulary nor replacements`);
  if (read.refused > 0) throw new Error(`${what} has ${read.refused} entries that are none`);
  const { vocabulary, replacements } = read;
  return { vocabulary, replacements };
}
