import { element, type FileElement, type FileFormat } from './element.ts';

/** Version, flags, granule, serial and number of the page; the checksum is made on writing. */
const FIELDS_BYTES = 18;
const HEADER_BYTES = 27;
const MOST_SEGMENTS = 255;

/**
 * Ogg: pages with the segments of packets as children. A page claims how many, a segment how long.
 */
export const OGG_FORMAT: FileFormat = {
  kind: 'ogg',
  isLittleEndian: true,
  names: ['OggS', 'segment'],
  parse(file) {
    const bytes = Buffer.from(file);
    const pages: FileElement[] = [];
    for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
      const tableAt = at + HEADER_BYTES;
      let end = tableAt + (bytes[at + 26] ?? 0);
      const segments: FileElement[] = [];
      for (const length of bytes.subarray(tableAt, end)) {
        segments.push(element('segment', bytes.subarray(end, end + length)));
        end += length;
      }
      pages.push(element('OggS', bytes.subarray(at + 4, at + 4 + FIELDS_BYTES), segments));
      at = end;
    }
    return pages;
  },
  write: (elements) => Buffer.concat(elements.map(pageOf)),
};

/** What is moved out of its place is written as a page, too. */
function pageOf({ name, head, children, claimedBytes }: FileElement): Buffer {
  const segments = children.slice(0, MOST_SEGMENTS);
  const fields = Buffer.alloc(FIELDS_BYTES);
  head.copy(fields);
  const page = Buffer.concat([
    Buffer.from(name.padEnd(4).slice(0, 4), 'latin1'),
    fields,
    Buffer.alloc(4),
    Buffer.from([claimedBytes ?? segments.length]),
    Buffer.from(segments.map((one) => one.claimedBytes ?? Math.min(255, one.head.length))),
    ...segments.map((one) => Buffer.concat([one.head, ...one.children.map(pageOf)])),
  ]);
  page.writeUInt32LE(checksum(page), 22);
  return page;
}

/** Of Ogg: CRC-32 with polynomial 0x04c11db7, neither reflected nor inverted. */
function checksum(page: Buffer): number {
  let sum = 0;
  for (const byte of page) sum = ((sum << 8) ^ (TABLE[((sum >>> 24) ^ byte) & 255] ?? 0)) >>> 0;
  return sum;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit++)
    value = value & 0x8000_0000 ? (value << 1) ^ 0x04c1_1db7 : value << 1;
  return value >>> 0;
});
