/** A name or term of one's own. */
export type VocabularyEntry = {
  /** The spelling. */
  readonly write: string;
  /** Spellings of how it sounds, where that is unlike `write`. @default [] */
  readonly soundsLike?: readonly string[];
  /** Times it was said. @default 0 */
  readonly uses?: number;
};

/** The longest list; further entries are refused. */
export const MAX_ENTRIES = 5_000;

/** The entries read from a list, and the number of rows refused. */
export type ParsedVocabulary = {
  readonly entries: readonly VocabularyEntry[];
  /** Rows that are no words, or too long. */
  readonly refused: number;
  /** Rows over the limit. */
  readonly surplus: number;
};

const MAX_CHARACTERS = 80;
const MAX_WORDS = 4;
const HAS_LETTER = /\p{L}/u;
const HEADER = /^(?:skriv|skrivs|ord|namn|term|write|written|word|name)$/i;

/**
 * Reads a list that was pasted or imported: a word or name a row, behind it, each behind a
 * semicolon, a tab or a comma, how it sounds; with or without quotes and a first row of titles. Of
 * the same word in several rows the sounds are put together. Linear time.
 */
export function parseVocabulary(text: string): ParsedVocabulary {
  const found = new Map<string, Set<string>>();
  const all = rowsOf(text).filter((cells) => cells.some((cell) => cell !== ''));
  const isTitled = all.length > 1 && HEADER.test(all[0]?.[0] ?? '');
  const rows = isTitled ? all.slice(1) : all;
  const taken = rows.filter(([write = '']) => isTakeable(write));
  let surplus = 0;
  for (const [write = '', ...sounds] of taken) {
    const known = found.get(write);
    if (known === undefined && found.size >= MAX_ENTRIES) surplus++;
    else found.set(write, new Set([...(known ?? []), ...sounds.filter(isTakeable)]));
  }
  const entries = [...found].map(([write, sounds]) =>
    sounds.size > 0 ? { write, soundsLike: [...sounds] } : { write },
  );
  return { entries, refused: rows.length - taken.length, surplus };
}

function isTakeable(cell: string): boolean {
  const isShort = cell.length <= MAX_CHARACTERS && cell.split(/\s+/).length <= MAX_WORDS;
  return isShort && HAS_LETTER.test(cell);
}

/** Cells between separators, quoted ones with all that is in them. */
function rowsOf(text: string): readonly (readonly string[])[] {
  const separator = /[;\t]/.exec(text.slice(0, 2_000))?.[0] ?? ',';
  const rows: string[][] = [[]];
  let cell = '';
  let isBlankCell = true;
  const putCell = (): void => {
    rows.at(-1)?.push(cell.normalize('NFC').replace(/\s+/g, ' ').trim());
    cell = '';
    isBlankCell = true;
  };
  const plain = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  for (let at = 0; at < plain.length; at++) {
    const sign = plain.charAt(at);
    if (sign === '"' && isBlankCell) {
      const end = endOfQuoted(plain, at + 1);
      cell = plain.slice(at + 1, end).replaceAll('""', '"');
      isBlankCell = false;
      at = plain[end] === '\n' ? end - 1 : end;
    } else if (sign === '\n') {
      putCell();
      rows.push([]);
    } else if (sign === separator) putCell();
    else {
      cell += sign;
      isBlankCell &&= sign === ' ';
    }
  }
  putCell();
  return rows;
}

/** The index of the closing quote; the end of the line if it is missing. */
function endOfQuoted(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\n') return at;
    if (text[at] !== '"') continue;
    if (text[at + 1] !== '"') return at;
    at++;
  }
  return text.length;
}

/** The list as it can be imported again, and opened by a spreadsheet: one row a word. */
export function exportVocabulary(entries: readonly VocabularyEntry[]): string {
  const rows = entries.map(({ write, soundsLike = [] }) =>
    [write, ...soundsLike].map(quoted).join(';'),
  );
  return ['skriv;låter som', ...rows, ''].join('\n');
}

function quoted(cell: string): string {
  return /[";\n\t]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * The words as a recogniser can be told to expect them: those said most first, as many as there is
 * room for in `limit` UTF-16 units.
 */
export function promptOf(entries: readonly VocabularyEntry[], limit: number): string {
  const sorted = [...entries].sort((a, b) => (b.uses ?? 0) - (a.uses ?? 0));
  let prompt = '';
  for (const { write } of sorted) {
    const longer = prompt === '' ? write : `${prompt}, ${write}`;
    if (longer.length > limit) break;
    prompt = longer;
  }
  return prompt;
}
