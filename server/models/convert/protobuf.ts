/**
 * One field of a protobuf message. `raw` is all of it, key included, for writing it down again as it
 * was; the bytes are those of the message, not a copy.
 */
export type Field = {
  readonly number: number;
  readonly raw: Uint8Array;
  /** Of a length-delimited field; empty for any other. */
  readonly bytes: Uint8Array;
};

/** The fields of a message, in order; throws a RangeError when its bytes are none. */
export function* readFields(message: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = message[at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a number in the file does not end');
  };
  while (at < message.length) {
    const start = at;
    const key = varint();
    const wire = key % 8;
    let length = 0;
    if (wire === 0) varint();
    else if (wire === 1) length = 8;
    else if (wire === 2) length = varint();
    else if (wire === 5) length = 4;
    else throw new RangeError(`the file has a field of kind ${wire}, which no model has`);
    if (at + length > message.length) throw new RangeError('the file ends inside of a field');
    const bytes = message.subarray(at, at + length);
    at += length;
    yield { number: Math.floor(key / 8), raw: message.subarray(start, at), bytes };
  }
}

/** A whole number from 0 as protobuf writes it. */
export function varintBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.of(...bytes, rest);
}

/** A field with a whole number from 0. */
export function integerField(number: number, value: number): Uint8Array {
  return Buffer.concat([varintBytes(number * 8), varintBytes(value)]);
}

/** A field with bytes, or with a text in UTF-8. */
export function bytesField(number: number, value: Uint8Array | string): Uint8Array {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  return Buffer.concat([varintBytes(number * 8 + 2), varintBytes(bytes.length), bytes]);
}

const UTF8 = new TextDecoder();

/** The text of the first field with this number; '' when there is none. */
export function textOf(message: Uint8Array, number: number): string {
  for (const field of readFields(message)) {
    if (field.number === number) return UTF8.decode(field.bytes);
  }
  return '';
}
