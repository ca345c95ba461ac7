import { expect, test } from 'vitest';
import { createReplyCounter } from '../../../server/answers/redis-store.ts';

test('replies are counted wherever a chunk ends', () => {
  const said = Buffer.from('+OK\r\n$5\r\nå\r\n+\r\n$0\r\n\r\n$-1\r\n:-7\r\n-ERR no\r\n');
  for (let at = 0; at <= said.length; at++) {
    const count = createReplyCounter(6);
    expect(count(said.subarray(0, at)) + count(said.subarray(at))).toBe(6);
  }
  const count = createReplyCounter(6);
  expect([...said].reduce((sum, byte) => sum + count(Uint8Array.of(byte)), 0)).toBe(6);
});

test.each(['$7\r\n', '*1\r\n', '>1\r\n', '_\r\n', '\r\n', 'OK\r\n', ':\r\n', '$-2\r\n', '$\r\n'])(
  'no reply of ours begins with %j',
  (line) => expect(() => createReplyCounter(6)(Buffer.from(line))).toThrow(),
);
