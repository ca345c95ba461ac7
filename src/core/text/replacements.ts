import type { WrittenSnippet } from '../written-snippet.ts';
import { type Token, tokensOf } from './tokens.ts';

/** "När jag säger X, skriv Y." */
export type Replacement = {
  /** One word or several, as they are said. */
  readonly say: string;
  /**
   * The text written in its place, to the letter; may have several lines. `{datum}` or `{date}` and
   * `{tid}` or `{time}` become the date and the time; the caret goes to `{markör}` or `{cursor}`.
   */
  readonly write: string;
  /** Counts only behind a spoken key word ("autotext"). @default false */
  readonly needsKeyWord?: boolean;
};

/** A text with its replacements. */
export type ReplacedText = {
  readonly text: string;
  /** The parts that replacements wrote, in order. */
  readonly snippets: readonly WrittenSnippet[];
  /** The caret's place in `text`, in UTF-16 units; null where no replacement sets one. */
  readonly cursor: number | null;
  /**
   * True where the text begins or ends with a replacement: later rules must not change that end.
   */
  readonly fixed: { readonly start: boolean; readonly end: boolean };
};

/** In front of a replacement that needs one. */
const KEY_WORDS: ReadonlySet<string> = new Set(['autotext', 'snippet']);

/** Longer ones are not found. */
const MOST_WORDS = 12;

type Branch = { entry: Replacement | null; readonly next: Map<string, Branch> };

type Match = { readonly entry: Replacement; readonly end: number };

/** Date, time and language for `{datum}` and `{tid}`. */
type When = { readonly now: Date; readonly language: string };

/**
 * Compiles a list of replacements. Where several match at one place, the longest wins; of two for
 * the same words, the later. Replacements are not applied to each other's text. Linear time.
 */
export function createReplacer(list: readonly Replacement[]) {
  const root: Branch = { entry: null, next: new Map() };
  for (const entry of list) {
    const { tokens } = tokensOf(entry.say.normalize('NFC'));
    if (tokens.length === 0 || tokens.length > MOST_WORDS) continue;
    let branch = root;
    for (const { key } of tokens) {
      const next: Branch = branch.next.get(key) ?? { entry: null, next: new Map() };
      branch.next.set(key, next);
      branch = next;
    }
    branch.entry = entry;
  }

  /** The longest replacement whose words begin there. */
  function matchAt(tokens: readonly Token[], from: number): Match | null {
    let match: Match | null = null;
    let branch: Branch | undefined = root;
    for (let at = from; at < tokens.length; at++) {
      const token = tokens[at];
      if (token === undefined || (at > from && token.gap.trim() !== '')) break;
      branch = branch.next.get(token.key.normalize('NFC'));
      if (branch === undefined) break;
      if (branch.entry !== null) match = { entry: branch.entry, end: at + 1 };
    }
    return match;
  }

  /** Behind a key word any counts, elsewhere those that need none. */
  function wantedAt(tokens: readonly Token[], at: number): Match | null {
    if (KEY_WORDS.has(tokens[at]?.key ?? '')) {
      const match = matchAt(tokens, at + 1);
      if (match !== null) return match;
    }
    const match = matchAt(tokens, at);
    return match?.entry.needsKeyWord ? null : match;
  }

  return function replace(text: string, when: When): ReplacedText {
    const { tokens, end } = tokensOf(text);
    const pieces: string[] = [];
    const snippets: WrittenSnippet[] = [];
    let length = 0;
    let cursor: number | null = null;
    const fixed = { start: false, end: false };
    const put = (piece: string): void => {
      pieces.push(piece);
      length += piece.length;
    };
    /** The mark that the recogniser put behind a text that ends by itself. */
    let isEnded = false;
    for (let at = 0; at < tokens.length; ) {
      const match = wantedAt(tokens, at);
      const gap = tokens[at]?.gap ?? '';
      put(isEnded ? gap.replace(/^[.,;:]+/, '') : gap);
      isEnded = false;
      if (match === null) {
        put(tokens[at]?.said ?? '');
        at++;
        continue;
      }
      const written = filledIn(match.entry.write, when);
      fixed.start ||= length === 0;
      if (written.cursor !== null) cursor ??= length + written.cursor;
      put(written.text);
      snippets.push(written);
      isEnded = /[.,;:!?…\n)]$/.test(written.text) || match.end - at === tokens.length;
      at = match.end;
      fixed.end = at >= tokens.length;
    }
    put(isEnded && fixed.end ? end.replace(/^[.,;:]+/, '') : end);
    return { text: pieces.join(''), snippets, cursor, fixed };
  };
}

const PLACEHOLDER = /\{(?:datum|date|tid|time|markör|cursor)\}/gi;

function filledIn(write: string, { now, language }: When) {
  let cursor: number | null = null;
  let shift = 0;
  const text = write.replace(PLACEHOLDER, (placeholder, at: number) => {
    const name = placeholder.slice(1, -1).toLowerCase();
    const filling =
      name === 'datum' || name === 'date'
        ? new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long' }).format(now)
        : name === 'tid' || name === 'time'
          ? new Intl.DateTimeFormat(localeOf(language), { timeStyle: 'short' }).format(now)
          : '';
    if (filling === '') cursor ??= at + shift;
    shift += filling.length - placeholder.length;
    return filling;
  });
  return { text, cursor };
}

/** English as it is written outside of America, unless it is American. */
function localeOf(language: string): string {
  return language.toLowerCase() === 'en' ? 'en-GB' : language || 'sv';
}
