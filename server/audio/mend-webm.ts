import type { MendedFile } from './decoded-audio.ts';

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;

/** Void and CRC-32, which may stand anywhere. */
const FILLERS: ReadonlySet<number> = new Set([0xec, 0xbf]);

/** SimpleBlock and BlockGroup. */
const BLOCKS: ReadonlySet<number> = new Set([0xa3, 0xa0]);

/** Elements of a segment only, which so end a cluster of unknown length. */
const LEVEL_1: ReadonlySet<number> = new Set([
  ...[CLUSTER, INFO, TRACKS],
  // Where things are, tags, attachments, chapters.
  ...[0x114d9b74, 0x1c53bb6b, 0x1254c367, 0x1941a469, 0x1043a770],
]);

/** An id, and where the content lies; `end` is null where the element does not say. */
type Element = { readonly id: number; readonly start: number; readonly end: number | null };

type Part = { readonly start: number; readonly end: number };

/**
 * Lays a WebM (or any Matroska) file out so that all of its blocks are found: a cluster that broke
 * off, or that has junk in it, ends behind its last whole block, and each says how long it is. The
 * demuxer reads a cluster whole or not at all, and takes sizes nobody knows for sizes when they are
 * written in fewer than eight bytes (RFC 8794 allows one to eight). Zeros at the end, and whatever
 * else it might look for a way around, are left out.
 */
export function mendWebm(file: Uint8Array): MendedFile {
  const head = elementAt(file, 0);
  if (head?.id !== EBML || head.end === null || head.end > file.length) {
    return { file, isWhole: false };
  }
  const scan = createScan(file);
  scan.readSegments(head.end);
  const { isWhole, metadata, clusters } = scan.found();
  const parts: Uint8Array[] = [
    file.subarray(0, head.end),
    idBytes(SEGMENT),
    UNKNOWN_SIZE,
    ...metadata.map(({ start, end }) => file.subarray(start, end)),
  ];
  for (const { start, end } of clusters) {
    parts.push(idBytes(CLUSTER), sizeBytes(end - start), file.subarray(start, end));
  }
  return { file: Buffer.concat(parts), isWhole };
}

/** Walks through the elements, noting what can be used and whether anything could not. */
function createScan(file: Uint8Array) {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  const metadata: Part[] = [];
  const clusters: Part[] = [];
  let isWhole = true;
  const seen = new Set<number>();

  function noteEnd({ end }: Element): void {
    if (end !== null && end > file.length) isWhole = false;
  }

  /** A cluster as far as it is whole; gives where the next element begins. */
  function readCluster({ start, end }: Element): number {
    const limit = Math.min(end ?? file.length, file.length);
    const { at, isBroken, hasBlocks } = clusterEnd(file, start, limit);
    if (hasBlocks) clusters.push({ start, end: at });
    // Nobody begins a cluster at the end of a stream without a block for it.
    if (!hasBlocks && end === null && at === file.length) isWhole = false;
    if (!isBroken) return at;
    if (end === null && isZero(file, at)) return file.length;
    isWhole = false;
    // Behind a cluster that says where it ends the next one may be well.
    return end !== null && end <= file.length ? end : nextCluster(at + 1);
  }

  function nextCluster(from: number): number {
    const at = bytes.indexOf(idBytes(CLUSTER), from);
    return at < 0 ? file.length : at;
  }

  /** Skips what cannot be read; gives where the next cluster begins. */
  function readJunk(at: number): number {
    if (isZero(file, at)) return file.length;
    isWhole = false;
    return nextCluster(at + 1);
  }

  /** One element of a segment; gives where the next begins. */
  function readElement(at: number): number {
    const element = elementAt(file, at);
    if (element === null) return readJunk(at);
    const { id, start } = element;
    // Those that hold others may not know their size either; nothing here needs them.
    const end = element.end ?? nextCluster(start);
    if (FILLERS.has(id)) return end;
    if (!isOfSegment(id)) return readJunk(at);
    noteEnd(element);
    if (id === CLUSTER) return readCluster(element);
    // Another recording behind this one is read by nobody.
    if (id === EBML) return leaveRest();
    const isWanted = id === INFO || id === TRACKS;
    if (end <= file.length && isWanted && !seen.has(id)) metadata.push({ start: at, end });
    seen.add(id);
    return end;
  }

  function leaveRest(): number {
    isWhole = false;
    return file.length;
  }

  return {
    /** The segment, and what stands behind it: some writers leave clusters outside. */
    readSegments(from: number): void {
      let at = from;
      while (at < file.length) {
        const element = elementAt(file, at);
        if (element?.id !== SEGMENT) {
          at = readElement(at);
          continue;
        }
        noteEnd(element);
        at = seen.has(SEGMENT) ? leaveRest() : element.start;
        seen.add(SEGMENT);
      }
    },
    found: () => ({ isWhole, metadata, clusters }),
  };
}

/** Where the whole children of a cluster end, and whether that is in the middle of one. */
function clusterEnd(file: Uint8Array, start: number, limit: number) {
  let at = start;
  let hasBlocks = false;
  while (at < limit) {
    const child = elementAt(file, at);
    if (child !== null && isOfSegment(child.id)) break;
    if (child === null || child.end === null || child.end > limit) {
      return { at, isBroken: true, hasBlocks };
    }
    hasBlocks ||= BLOCKS.has(child.id);
    at = child.end;
  }
  return { at, isBroken: false, hasBlocks };
}

function isOfSegment(id: number): boolean {
  return LEVEL_1.has(id) || id === EBML || id === SEGMENT;
}

/** The element whose head begins at `at`; null for one that is cut off or is none. */
function elementAt(file: Uint8Array, at: number): Element | null {
  const length = idLength(file, at);
  const sizeAt = at + length;
  const first = file[sizeAt];
  if (length === 0 || length > 4 || first === undefined || first === 0) return null;
  const sizeLength = Math.clz32(first) - 23;
  const start = sizeAt + sizeLength;
  if (start > file.length) return null;
  const id = numberIn(file, at, length, 0);
  const mark = 0x80 >> (sizeLength - 1);
  const size = numberIn(file, sizeAt, sizeLength, mark);
  const isUnknown = size === 2 ** (7 * sizeLength) - 1;
  return { id, start, end: isUnknown ? null : start + size };
}

/** The bytes of the id at `at`, by its first one; 0 at the end. */
function idLength(file: Uint8Array, at: number): number {
  const first = file[at];
  return first === undefined ? 0 : Math.clz32(first) - 23;
}

function numberIn(file: Uint8Array, at: number, length: number, mark: number): number {
  let value = (file[at] ?? 0) & ~mark;
  for (let index = 1; index < length; index++) value = value * 256 + (file[at + index] ?? 0);
  return value;
}

/** True if nothing but zeros follows: some writers reserve room that way. */
function isZero(file: Uint8Array, from: number): boolean {
  return file.subarray(from).every((byte) => byte === 0);
}

const UNKNOWN_SIZE = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);

function idBytes(id: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return bytes;
}

/** A size in eight bytes. */
function sizeBytes(size: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUIntBE(size, 2, 6);
  bytes[0] = 0x01;
  return bytes;
}
