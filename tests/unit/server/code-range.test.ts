import { expect, test } from 'vitest';
import { codeRangeBytes } from '../../../server/children/children.ts';

test('memory that V8 has reserved for code, where it counts as memory to be written to', () => {
  const maps = [
    '00400000-02cf9000 r-xp 00000000 fe:00 5767275    /usr/bin/node',
    '7f2000000000-7f201fdc0000 rwxp 00000000 00:00 0',
    '7f2030000000-7f2038000000 ---p 00000000 00:00 0',
  ];
  expect(codeRangeBytes(maps.join('\n'))).toBe(0x1fdc0000);
});

test('none where it does not count, whatever code there is', () => {
  const maps = [
    '7f2000000000-7f201fdc0000 ---p 00000000 00:00 0',
    '7f2020000000-7f2020400000 rwxp 00000000 00:00 0',
  ];
  expect(codeRangeBytes(maps.join('\n'))).toBe(0);
  expect(codeRangeBytes('')).toBe(0);
});
