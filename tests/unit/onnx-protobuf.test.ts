import { describe, expect, test } from 'vitest';
import {
  bytesOf,
  integerOf,
  integersOf,
  type ProtoField,
  readFields,
  textOf,
} from '../../tools/onnx/model.ts';

const fieldsOf = (...bytes: number[]): ProtoField[] => [...readFields(Uint8Array.from(bytes))];

describe('protobuf fields', () => {
  test("a varint: 150 in field 1, the specification's own example", () => {
    const [field] = fieldsOf(0x08, 0x96, 0x01);
    expect(field).toEqual({ wire: 'varint', number: 1, value: 150n });
    expect(integerOf(field!)).toBe(150);
  });

  test('a text: "testing" in field 2, the specification\'s own example', () => {
    const [field] = fieldsOf(0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67);
    expect(field?.number).toBe(2);
    expect(textOf(field!)).toBe('testing');
  });

  test('negative numbers take ten bytes', () => {
    const [field] = fieldsOf(0x08, ...new Array(9).fill(0xff), 0x01);
    expect(integerOf(field!)).toBe(-1);
  });

  test('repeated integers, packed or one by one', () => {
    const [packed] = fieldsOf(0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05);
    expect(integersOf(packed!)).toEqual([3, 270, 86942]);
    const [single] = fieldsOf(0x08, 0x07);
    expect(integersOf(single!)).toEqual([7]);
  });

  test('fixed widths, and one field after the other', () => {
    const fields = fieldsOf(0x0d, 1, 2, 3, 4, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x18, 0x05);
    expect(fields.map(({ wire, number }) => `${number} ${wire}`)).toEqual([
      '1 fixed32',
      '2 fixed64',
      '3 varint',
    ]);
  });

  test('field numbers beyond one byte', () => {
    expect(fieldsOf(0xa0, 0x06, 0x01)).toEqual([{ wire: 'varint', number: 100, value: 1n }]);
  });
});

describe('what is no message is refused', () => {
  test.each([
    ['a varint that ends in the middle', [0x08, 0x96]],
    ['a varint that never ends', [0x08, ...new Array(11).fill(0x80)]],
    ['a field that ends in the middle', [0x12, 0x07, 0x74]],
    ['a group', [0x0b]],
  ])('%s', (_what, bytes) => {
    expect(() => fieldsOf(...bytes)).toThrow(/^protobuf: /);
  });

  test('a field of another kind than was wanted', () => {
    const [varint] = fieldsOf(0x08, 0x01);
    expect(() => bytesOf(varint!)).toThrow('not bytes');
    const [text] = fieldsOf(0x12, 0x01, 0xff);
    expect(() => integerOf(text!)).toThrow('not an integer');
    expect(() => textOf(text!)).toThrow();
    expect(() => integersOf(fieldsOf(0x32, 0x01, 0x80)[0]!)).toThrow('inside a varint');
  });
});
