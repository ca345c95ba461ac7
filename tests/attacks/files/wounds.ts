import fc from 'fast-check';
import { copyOf, element, type FileElement, type FileFormat, numberBytes } from './formats.ts';

/**
 * One thing done to a file, as plain data to be printed. `at` chooses the element, by name first,
 * so that a lonely header is hit as often as one of two hundred blocks. Places are taken modulo
 * what there is.
 */
export type Wound =
  | {
      readonly kind: 'number';
      readonly at: number;
      readonly offset: number;
      readonly bytes: number;
      readonly value: number;
    }
  | { readonly kind: 'claim'; readonly at: number; readonly value: number }
  | { readonly kind: 'drop'; readonly at: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly times: number }
  | { readonly kind: 'rename'; readonly at: number; readonly name: number }
  | { readonly kind: 'wrap'; readonly at: number; readonly name: number; readonly depth: number }
  | { readonly kind: 'move'; readonly at: number; readonly to: number }
  | { readonly kind: 'cut'; readonly at: number; readonly bytes: number }
  | { readonly kind: 'fill'; readonly at: number; readonly byte: number; readonly bytes: number }
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'end'; readonly at: number };

/** Where counts, lengths and offsets go wrong: around a field's widths and a file's size. */
const LIMITS = [
  0,
  1,
  2,
  3,
  0x7f,
  0x80,
  0xfe,
  0xff,
  0x100,
  0x7fff,
  0x8000,
  0xffff,
  0x1_0000,
  100_000,
  1_000_000,
  0xff_ffff,
  0x100_0000,
  0x7fff_ffff,
  0x8000_0000,
  0xffff_fffe,
  0xffff_ffff,
  2 ** 32,
  2 ** 53,
  -2,
  -1,
  -(2 ** 63),
];

const place = fc.nat(0xffff);
const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...LIMITS) },
  { weight: 1, arbitrary: fc.nat(100_000) },
);
const wound: fc.Arbitrary<Wound> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('number' as const),
      at: place,
      // Counts stand at the beginning of a table.
      offset: fc.oneof(fc.constantFrom(0, 4, 8, 12, 16), fc.nat(40), fc.nat(4_000)),
      bytes: fc.constantFrom(1, 2, 4, 4, 8),
      value,
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('claim' as const), at: place, value }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('drop' as const), at: place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('repeat' as const),
      at: place,
      times: fc.oneof(fc.nat(3), fc.nat(300)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('rename' as const), at: place, name: place }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wrap' as const),
      at: place,
      name: place,
      depth: fc.oneof(fc.nat(10), fc.nat(500)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), at: place, to: place }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('cut' as const), at: place, bytes: fc.nat(200) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fill' as const),
      at: place,
      byte: fc.constantFrom(0, 1, 0x7f, 0xff),
      bytes: fc.nat(5_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bit: fc.nat(7) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), at: fc.nat() }) },
);

/** One to four wounds. */
export const wounds: fc.Arbitrary<readonly Wound[]> = fc.array(wound, {
  minLength: 1,
  maxLength: 4,
});

/** A file with wounds, in their order. */
export function wounded(format: FileFormat, file: Uint8Array, all: readonly Wound[]): Buffer {
  const root = element('', Buffer.alloc(0), format.parse(file));
  for (const one of all) hurt(format, root, one);
  let bytes = format.write(root.children);
  for (const one of all) {
    if (one.kind === 'end') bytes = bytes.subarray(0, one.at % (bytes.length + 1));
    if (one.kind !== 'flip' || bytes.length === 0) continue;
    const at = one.at % bytes.length;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << one.bit);
  }
  return bytes.subarray(0, MOST_BYTES);
}

/** Repeats of repeats grow; more than this is about size and not about structure. */
const MOST_BYTES = 2_000_000;
const MOST_ELEMENTS = 20_000;

type Placed = { readonly parent: FileElement; readonly self: FileElement };

function hurt(format: FileFormat, root: FileElement, one: Wound): void {
  const found = choose(root, one.at);
  if (found === null) return;
  const { parent, self } = found;
  const index = parent.children.indexOf(self);
  switch (one.kind) {
    case 'number': {
      const at = one.offset % (self.head.length + 1);
      numberBytes(one.value, one.bytes, format.isLittleEndian).copy(self.head, at);
      break;
    }
    case 'claim':
      self.claimedBytes = one.value;
      break;
    case 'drop':
      parent.children.splice(index, 1);
      break;
    case 'repeat':
      parent.children.splice(
        index,
        0,
        ...Array.from({ length: roomFor(self, one.times) }, () => copyOf(self)),
      );
      break;
    case 'rename':
      self.name = nameOf(format, one.name);
      break;
    case 'wrap': {
      let inner = self;
      for (let depth = 0; depth < one.depth; depth++)
        inner = element(nameOf(format, one.name), Buffer.alloc(0), [inner]);
      parent.children[index] = inner;
      break;
    }
    case 'move': {
      parent.children.splice(index, 1);
      const to = choose(root, one.to);
      (to?.self ?? root).children.push(self);
      break;
    }
    case 'cut':
      self.head = self.head.subarray(0, Math.max(0, self.head.length - one.bytes));
      break;
    case 'fill':
      self.head = Buffer.concat([self.head, Buffer.alloc(one.bytes, one.byte)]);
      break;
    case 'flip':
    case 'end':
      break;
  }
}

const nameOf = ({ names }: FileFormat, at: number) => names[at % names.length] ?? '';

const sizeOf = (self: FileElement): number =>
  self.head.length + 8 + self.children.reduce((sum, child) => sum + sizeOf(child), 0);

/** The times an element can be repeated before the file is too large to be worth sending. */
const roomFor = (self: FileElement, times: number) =>
  Math.min(times, MOST_ELEMENTS, Math.floor(MOST_BYTES / 4 / sizeOf(self)));

function choose(root: FileElement, at: number): Placed | null {
  const byName = new Map<string, Placed[]>();
  const open: FileElement[] = [root];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const self of parent.children) {
      const same = byName.get(self.name) ?? [];
      byName.set(self.name, [...same.slice(0, MOST_ELEMENTS), { parent, self }]);
      open.push(self);
    }
  }
  const groups = [...byName.values()];
  const group = groups[at % Math.max(1, groups.length)] ?? [];
  return group[Math.floor(at / Math.max(1, groups.length)) % Math.max(1, group.length)] ?? null;
}
