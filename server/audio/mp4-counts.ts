/**
 * True if an MP4 claims more samples or chunks than it has bytes. The demuxer believes such a count
 * and makes a record for each, up to four thousand million out of a few hundred bytes. This looks
 * where such files have their tables; what is hidden elsewhere meets the limits of the process.
 */
export function claimsTooMuch(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const claimed = new Map<number, number>();

  function walk(from: number, to: number, depth: number): void {
    for (const { type, start, end } of boxesIn(view, from, to)) {
      if (CONTAINERS.has(type) && depth < MAX_DEPTH) walk(start, end, depth + 1);
      const count = CLAIMS.get(type)?.(view, start, end) ?? 0;
      claimed.set(type, (claimed.get(type) ?? 0) + count);
    }
  }
  walk(0, file.length, 0);
  // Times are expanded only with offsets. Uncompressed audio that was cut off has more of them.
  if (!claimed.has(COMPOSITION_OFFSETS)) claimed.delete(DECODING_TIMES);
  return [...claimed.values()].some((count) => count > file.length);
}

/**
 * True if an MP4 ends in the middle of a box, so that the end of the recording is missing. One that
 * was cut between two boxes looks whole, and is found by what its tables name.
 */
export function isMp4CutShort(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let end = 0;
  for (const box of boxesIn(view, 0, Number.POSITIVE_INFINITY)) end = box.end;
  if (end >= file.length) return end > file.length;
  const isLong = end + HEADER_BYTES <= file.length && view.getUint32(end) === 1;
  // The head of a box that was cut off; zeros, and what is no box, are what some writers end with.
  const headBytes = isLong ? LONG_HEADER_BYTES : HEADER_BYTES;
  return end + headBytes > file.length && file.subarray(end).some((byte) => byte !== 0);
}

/**
 * The same MP4 with its tables in front of its sound, for who reads it without going back: recorders
 * write them at the end. One that has them in front, or none, is given back as it is.
 */
export function withTablesFirst(file: Uint8Array): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let at = 0;
  let soundAt = -1;
  for (const { type, end } of boxesIn(view, 0, Number.POSITIVE_INFINITY)) {
    if (type === MOOV && soundAt >= 0 && end <= file.length) {
      const tables = file.slice(at, end);
      moveOffsets(new DataView(tables.buffer), soundAt, at, tables.length);
      const before = [file.subarray(0, soundAt), tables, file.subarray(soundAt, at)];
      return Buffer.concat([...before, file.subarray(end)]);
    }
    if (type === MOOV) return file;
    if (type === MDAT && soundAt < 0) soundAt = at;
    at = end;
  }
  return file;
}

/** Adds `by` to each place from `from` up to `to` that a table names. */
function moveOffsets(view: DataView, from: number, to: number, by: number): void {
  const moved = (place: number) => (place >= from && place < to ? place + by : place);
  function walk(start: number, end: number, depth: number): void {
    for (const box of boxesIn(view, start, end)) {
      if (CONTAINERS.has(box.type) && depth < MAX_DEPTH) walk(box.start, box.end, depth + 1);
      else if (box.type === SHORT_OFFSETS) {
        for (let at = box.start + 8; at + 4 <= box.end; at += 4) {
          view.setUint32(at, moved(view.getUint32(at)));
        }
      } else if (box.type === LONG_OFFSETS) moveLong(box);
    }
  }
  function moveLong({ start, end }: Box): void {
    for (let at = start + 8; at + 8 <= end; at += 8) {
      view.setBigUint64(at, BigInt(moved(Number(view.getBigUint64(at)))));
    }
  }
  walk(0, view.byteLength, 0);
}

const HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;

/** From `moov` down to the tables there are five. */
const MAX_DEPTH = 8;

const typeOf = (name: string) => new DataView(new TextEncoder().encode(name).buffer).getUint32(0);

const [MOOV, MDAT, SHORT_OFFSETS, LONG_OFFSETS] = ['moov', 'mdat', 'stco', 'co64'].map(typeOf);

const CONTAINERS = new Set(
  ['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf', 'mfra'].map(typeOf),
);

type Box = { readonly type: number; readonly start: number; readonly end: number };

/** The boxes between two places, one after the other, with where their content lies. */
function* boxesIn(view: DataView, from: number, to: number): Generator<Box> {
  const last = Math.min(to, view.byteLength);
  for (let at = from; at + HEADER_BYTES <= last; ) {
    const size = view.getUint32(at);
    const isLong = size === 1 && at + LONG_HEADER_BYTES <= last;
    // No size at all means that the box goes on to the end.
    const isOpen = size === 0 && view.getUint32(at + 4) !== 0;
    const long = isLong ? Number(view.getBigUint64(at + HEADER_BYTES)) : size;
    const total = isOpen ? last - at : long;
    if (total < HEADER_BYTES) return;
    const start = at + (isLong ? LONG_HEADER_BYTES : HEADER_BYTES);
    yield { type: view.getUint32(at + 4), start, end: Math.min(to, at + total) };
    at += total;
  }
}

/** The samples that a table claims, its content being between two places. */
type Claim = (view: DataView, start: number, end: number) => number;

/** A count that stands `offset` bytes into the table. */
const countAt =
  (offset: number): Claim =>
  (view, start, end) =>
    start + offset + 4 <= end ? view.getUint32(start + offset) : 0;

/** The sum of the first numbers of all entries there are, each of `entryBytes`. */
const sumOfEntries =
  (entryBytes: number): Claim =>
  (view, start, end) => {
    let sum = 0;
    for (let at = start + 8; at + entryBytes <= end; at += entryBytes) sum += view.getUint32(at);
    return sum;
  };

/** The number of the last chunk that is spoken of. */
const lastChunk: Claim = (view, start, end) => {
  let last = 0;
  for (let at = start + 8; at + 12 <= end; at += 12) last = Math.max(last, view.getUint32(at));
  return last;
};

const DECODING_TIMES = typeOf('stts');
const COMPOSITION_OFFSETS = typeOf('ctts');

/** Tables whose counts the demuxer takes as they are, though there need be no bytes behind them. */
const CLAIMS: ReadonlyMap<number, Claim> = new Map([
  [typeOf('trun'), countAt(4)],
  [typeOf('stz2'), countAt(8)],
  [typeOf('stsc'), lastChunk],
  [DECODING_TIMES, sumOfEntries(8)],
  [COMPOSITION_OFFSETS, sumOfEntries(8)],
]);
