import { beforeAll, describe, expect, test } from 'vitest';
import { buildIfNeeded } from '../../tools/build-all.ts';
import { type AttackRow, runAttacks } from './run-attacks.ts';
import { ATTACKS } from './suite.ts';

/**
 * The short form of `npm run attack:server`: every attack, fewer of each. Only the long one
 * measures how long an innocent waits.
 */
describe('attacks on the server', () => {
  const rows = new Map<string, AttackRow>();

  beforeAll(async () => {
    await buildIfNeeded();
    const size = { isShort: true, files: 150, seed: 4_711, keepIn: null };
    await runAttacks(ATTACKS, size, (row) => rows.set(row.name, row));
  }, 400_000);

  test.each(ATTACKS.map(({ name }) => name))('%s', (name) => {
    expect(rows.get(name)?.faults).toEqual([]);
  });
});
