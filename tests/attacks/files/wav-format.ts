import { element, type FileElement, type FileFormat, numberBytes } from './element.ts';

/** Chunks with chunks in them, after the four letters that say what they are. */
const CONTAINERS = new Set(['RIFF', 'RIFX', 'RF64', 'LIST']);

/** WAV. */
export const WAV_FORMAT: FileFormat = {
  kind: 'wav',
  isLittleEndian: true,
  names: [...CONTAINERS, 'fmt ', 'data', 'ds64', 'fact', 'cue ', 'smpl', 'bext', 'junk', 'INFO'],
  parse: (file) => chunksIn(Buffer.from(file)),
  write: (elements) => Buffer.concat(elements.map(chunkOf)),
};

function chunksIn(bytes: Buffer): FileElement[] {
  const chunks: FileElement[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const inner = bytes.subarray(at + 8, at + 8 + length);
    chunks.push(
      CONTAINERS.has(name)
        ? element(name, inner.subarray(0, 4), chunksIn(inner.subarray(4)))
        : element(name, inner),
    );
    at += 8 + length + (length % 2);
  }
  return chunks;
}

function chunkOf({ name, head, children, claimedBytes }: FileElement): Buffer {
  const inner = Buffer.concat([head, ...children.map(chunkOf)]);
  const length = claimedBytes ?? inner.length;
  return Buffer.concat([
    Buffer.from(name.padEnd(4).slice(0, 4), 'latin1'),
    numberBytes(length, 4, true),
    inner,
    Buffer.alloc(inner.length % 2),
  ]);
}
