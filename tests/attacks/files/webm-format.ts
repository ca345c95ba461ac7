import { element, type FileElement, type FileFormat, numberBytes } from './element.ts';

const latin = (hex: string) => Buffer.from(hex, 'hex').toString('latin1');

/** Elements with elements in them, from EBML and Segment down to blocks, cues and tags. */
const CONTAINERS = new Set(
  '1a45dfa3 18538067 114d9b74 4dbb 1549a966 1654ae6b ae e1 e0 1f43b675 a0 1c53bb6b bb b7 1254c367 7373 63c0 67c8 6d80 6240 5034'
    .split(' ')
    .map(latin),
);

/** Void, CRC, blocks, lacing, times, sizes, codec, numbers and so on. */
const OTHERS =
  'ec bf a3 a1 af e7 ab a7 9b fb 63a2 86 d7 73c5 83 b5 9f 6264 2ad7b1 4489 f1 f7 b3 53ab 53ac 4254 4255 5031 1941a469 1043a770'
    .split(' ')
    .map(latin);

/** A length that says it is not known. */
const UNKNOWN = Buffer.from('01ffffffffffffff', 'hex');
const SHORT = 2 ** 28 - 1;

/** WebM and Matroska. */
export const WEBM_FORMAT: FileFormat = {
  kind: 'webm',
  isLittleEndian: false,
  names: [...CONTAINERS, ...OTHERS],
  parse: (file) => elementsIn(Buffer.from(file)),
  write: (elements) => Buffer.concat(elements.map(bytesOf)),
};

/** How many bytes a number of variable length has, by its first. */
const widthOf = (first: number) => Math.clz32(first) - 23;

function elementsIn(bytes: Buffer): FileElement[] {
  const found: FileElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const idEnd = at + widthOf(bytes[at] ?? 0);
    const sizeWidth = widthOf(bytes[idEnd] ?? 0);
    const start = idEnd + sizeWidth;
    if (start > bytes.length || sizeWidth > 8) break;
    const size = bytes.subarray(idEnd, start);
    const length = Number(BigInt(`0x${size.toString('hex')}`) - (1n << BigInt(7 * sizeWidth)));
    const end = size.equals(UNKNOWN) ? bytes.length : Math.min(bytes.length, start + length);
    const name = bytes.toString('latin1', at, idEnd);
    const inner = bytes.subarray(start, end);
    found.push(
      CONTAINERS.has(name)
        ? element(name, Buffer.alloc(0), elementsIn(inner))
        : element(name, inner),
    );
    at = end;
  }
  return found;
}

function bytesOf({ name, head, children, claimedBytes }: FileElement): Buffer {
  const inner = Buffer.concat([head, ...children.map(bytesOf)]);
  return Buffer.concat([Buffer.from(name, 'latin1'), sizeOf(claimedBytes ?? inner.length), inner]);
}

function sizeOf(length: number): Buffer {
  if (length >= 0 && length < SHORT) return numberBytes(length + 2 ** 28, 4, false);
  const eight = Buffer.from(numberBytes(length, 8, false));
  eight[0] = 1;
  return eight;
}
