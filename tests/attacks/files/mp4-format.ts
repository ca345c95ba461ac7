import { element, type FileElement, type FileFormat, numberBytes } from './element.ts';

/** Boxes with boxes in them, and the bytes of fields before those. */
const CONTAINERS: ReadonlyMap<string, number> = new Map([
  ...['moov', 'trak', 'mdia', 'minf', 'stbl', 'dinf', 'edts', 'mvex', 'moof', 'traf', 'mfra'].map(
    (name) => [name, 0] as const,
  ),
  ['udta', 0],
  ['meta', 4],
  ['stsd', 8],
  ['Opus', 28],
  ['mp4a', 28],
]);

/** Tables whose counts and lengths a reader goes by, beside the containers. */
const TABLES =
  'stts ctts stsc stsz stz2 stco co64 stss trun tfhd tfdt trex sidx elst tfra mfro saiz saio sbgp sgpd pssh mdhd mvhd tkhd hdlr dOps esds wave free skip uuid mdat'.split(
    ' ',
  );

const LARGEST = 0xffff_ffff;

/** MP4 and QuickTime. */
export const MP4_FORMAT: FileFormat = {
  kind: 'mp4',
  isLittleEndian: false,
  names: [...CONTAINERS.keys(), ...TABLES],
  parse: (file) => boxesIn(Buffer.from(file)),
  write: (elements) => Buffer.concat(elements.map(boxOf)),
};

function boxesIn(bytes: Buffer): FileElement[] {
  const boxes: FileElement[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = length < 8 ? bytes.length : Math.min(bytes.length, at + length);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const fields = CONTAINERS.get(name);
    const inner = bytes.subarray(at + 8, end);
    boxes.push(
      fields === undefined
        ? element(name, inner)
        : element(name, inner.subarray(0, fields), boxesIn(inner.subarray(fields))),
    );
    at = end;
  }
  return boxes;
}

function boxOf({ name, head, children, claimedBytes }: FileElement): Buffer {
  const inner = Buffer.concat([head, ...children.map(boxOf)]);
  const length = claimedBytes ?? inner.length + 8;
  const isLong = length > LARGEST || length < 0;
  return Buffer.concat([
    numberBytes(isLong ? 1 : length, 4, false),
    Buffer.from(name, 'latin1'),
    ...(isLong ? [numberBytes(length, 8, false)] : []),
    inner,
  ]);
}
