/**
 * One element of a container file: a box of MP4, an element of WebM, a page of Ogg, a chunk of WAV.
 */
export type FileElement = {
  /** As it stands in the file, in latin1. */
  name: string;
  /** The fields before its children; its whole content where it has none. */
  head: Buffer;
  children: FileElement[];
  /** What it says its length is; null: the truth. */
  claimedBytes: number | null;
};

/** How files of one kind are taken apart and put together again. */
export type FileFormat = {
  readonly kind: 'mp4' | 'webm' | 'ogg' | 'wav';
  /** How its numbers stand. */
  readonly isLittleEndian: boolean;
  /** Names that mean something to who reads it. */
  readonly names: readonly string[];
  parse(file: Uint8Array): FileElement[];
  /** Gives every element its true length, or the one it claims. */
  write(elements: readonly FileElement[]): Buffer;
};

/** A whole element. */
export function element(name: string, head: Buffer, children: FileElement[] = []): FileElement {
  return { name, head: Buffer.from(head), children, claimedBytes: null };
}

/** The same again, to be changed apart. */
export function copyOf(original: FileElement): FileElement {
  return {
    ...original,
    head: Buffer.from(original.head),
    children: original.children.map(copyOf),
  };
}

/** A number as so many bytes; -1 is all bits set. */
export function numberBytes(value: number, bytes: number, isLittleEndian: boolean): Buffer {
  const eight = Buffer.alloc(8);
  eight.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)));
  const some = eight.subarray(8 - bytes);
  return isLittleEndian ? Buffer.from(some).reverse() : some;
}
