/** One field of a protobuf message, undecoded. */
export type ProtoField =
  | { readonly wire: 'varint'; readonly number: number; readonly value: bigint }
  | { readonly wire: 'bytes'; readonly number: number; readonly value: Uint8Array }
  | { readonly wire: 'fixed32'; readonly number: number; readonly value: Uint8Array }
  | { readonly wire: 'fixed64'; readonly number: number; readonly value: Uint8Array };

/**
 * The fields of one message, in file order: https://protobuf.dev/programming-guides/encoding/.
 * Throws when the bytes end in mid-field or hold a wire type that ONNX never uses (groups).
 */
export function* readFields(bytes: Uint8Array): Generator<ProtoField> {
  let at = 0;

  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('protobuf: the message ends inside a varint');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Error('protobuf: a varint of more than ten bytes');
  };

  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw new Error('protobuf: the message ends inside a field');
    const value = bytes.subarray(at, at + count);
    at += count;
    return value;
  };

  while (at < bytes.length) {
    const key = Number(varint());
    const number = key >>> 3;
    const wire = key & 7;
    if (wire === 0) yield { wire: 'varint', number, value: varint() };
    else if (wire === 1) yield { wire: 'fixed64', number, value: take(8) };
    else if (wire === 2) yield { wire: 'bytes', number, value: take(Number(varint())) };
    else if (wire === 5) yield { wire: 'fixed32', number, value: take(4) };
    else throw new Error(`protobuf: wire type ${wire} in field ${number}`);
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A length-delimited field's text; throws when it is not UTF-8. */
export function textOf(field: ProtoField): string {
  return UTF8.decode(bytesOf(field));
}

/** A length-delimited field's bytes; throws on any other wire type. */
export function bytesOf(field: ProtoField): Uint8Array {
  if (field.wire !== 'bytes') {
    throw new Error(`protobuf: field ${field.number} is ${field.wire}, not bytes`);
  }
  return field.value;
}

/** A varint as a signed 64-bit integer that fits a JavaScript number. */
export function integerOf(field: ProtoField): number {
  if (field.wire !== 'varint') {
    throw new Error(`protobuf: field ${field.number} is ${field.wire}, not an integer`);
  }
  return Number(BigInt.asIntN(64, field.value));
}

/** The integers of a repeated field's one occurrence: packed (bytes) or single (varint). */
export function integersOf(field: ProtoField): readonly number[] {
  if (field.wire === 'varint') return [integerOf(field)];
  return [...readVarints(bytesOf(field))];
}

function* readVarints(packed: Uint8Array): Generator<number> {
  let value = 0n;
  let shift = 0n;
  for (const byte of packed) {
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte < 0x80) {
      yield Number(BigInt.asIntN(64, value));
      value = 0n;
      shift = 0n;
    }
  }
  if (shift !== 0n) throw new Error('protobuf: packed integers end inside a varint');
}
