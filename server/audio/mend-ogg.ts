import type { MendedFile } from './decoded-audio.ts';

/** The head of a page, without the lengths of its segments. */
const HEAD_BYTES = 27;

const IS_FIRST = 2;

/** More recordings than anybody puts one behind the other; each costs a decoder of its own. */
const MOST_LINKS = 200;

type Page = { readonly isFirst: boolean; readonly serial: number; readonly number: number };

/**
 * Takes an Ogg file apart into the recordings that stand in it one behind the other, as radio
 * streams and `cat` write them: the demuxer reads the first alone, and no further than to bytes that
 * are no page. `isWhole` is false for one with such bytes, or one of whose pages is missing or cut.
 */
export function mendOgg(file: Uint8Array): readonly MendedFile[] {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  const links: Link[] = [];
  let link = createLink();
  let isWithData = false;
  for (let at = 0; at < bytes.length; ) {
    const end = pageEnd(bytes, at);
    if (end === null) {
      link.isWhole = false;
      const next = bytes.indexOf('OggS', at + 1, 'latin1');
      if (next < 0) break;
      at = next;
      continue;
    }
    const page = pageAt(bytes, at);
    if (page.isFirst && isWithData) {
      links.push(link);
      link = createLink();
    }
    isWithData = !page.isFirst;
    addPage(link, page, bytes.subarray(at, end));
    at = end;
  }
  links.push(link);
  // Nothing in it is a page: it is judged as it is.
  if (links.every(({ parts }) => parts.length === 0)) return [{ file, isWhole: false }];
  return links.slice(0, MOST_LINKS).map(({ parts, isWhole }) => {
    return { file: Buffer.concat(parts), isWhole: isWhole && links.length <= MOST_LINKS };
  });
}

/** One recording: its pages, and the number of the newest page of each of its streams. */
type Link = {
  readonly parts: Uint8Array[];
  readonly numbers: Map<number, number>;
  isWhole: boolean;
};

const createLink = (): Link => ({ parts: [], numbers: new Map(), isWhole: true });

function addPage(link: Link, { serial, number }: Page, page: Uint8Array): void {
  const before = link.numbers.get(serial);
  // Some writers number nothing at all.
  if (before !== undefined && number > before + 1) link.isWhole = false;
  link.numbers.set(serial, number);
  link.parts.push(page);
}

/** The end of the page that begins at `at`; null where none does, or it is cut. */
function pageEnd(bytes: Buffer, at: number): number | null {
  if (bytes.toString('latin1', at, at + 4) !== 'OggS' || bytes[at + 4] !== 0) return null;
  const body = at + HEAD_BYTES + (bytes[at + 26] ?? 0);
  const end = bytes.subarray(at + HEAD_BYTES, body).reduce((sum, size) => sum + size, body);
  return end <= bytes.length ? end : null;
}

function pageAt(bytes: Buffer, at: number): Page {
  return {
    isFirst: ((bytes[at + 5] ?? 0) & IS_FIRST) !== 0,
    serial: bytes.readUInt32LE(at + 14),
    number: bytes.readUInt32LE(at + 18),
  };
}
