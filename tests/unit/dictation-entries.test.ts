import { expect, test } from 'vitest';
import { DictationEntries } from '../../workers/upload/dictation-entry.ts';

function setUp() {
  const open = new Set<string>();
  const owners = new DictationEntries();
  const look = (ids: ReadonlySet<string>) => owners.refresh(ids, async (id) => !open.has(id));
  return { open, owners, look };
}

test('a session let go with its rest in the journal is to be brought until it is here', () => {
  const { owners } = setUp();
  owners.adopt('s');
  expect(owners.isAllBrought).toBe(true);
  owners.withhold('s');
  expect([owners.isForeign('s'), owners.isAllBrought]).toEqual([true, false]);
  owners.adopt('s');
  expect([owners.isForeign('s'), owners.isAllBrought]).toEqual([false, true]);
});

test('or until another tab has brought, or deleted, what the journal had', async () => {
  const { owners, open, look } = setUp();
  open.add('s');
  owners.adopt('s');
  owners.withhold('s');
  await look(new Set());
  expect(owners.isAllBrought).toBe(false);
  open.delete('s');
  await look(new Set());
  expect(owners.isAllBrought).toBe(true);
});

test('and again while somebody has it for a moment: who waits for its text does not give it up', async () => {
  const { owners, open, look } = setUp();
  const queued = new Set(['s']);
  await look(queued);
  open.add('s');
  await look(queued);
  expect([owners.isForeign('s'), owners.isAllBrought]).toEqual([true, false]);
  open.delete('s');
  await look(queued);
  expect([owners.isForeign('s'), owners.isAllBrought]).toEqual([false, true]);
  open.add('s');
  await look(queued);
  // Thrown away there.
  open.delete('s');
  await look(new Set());
  expect(owners.isAllBrought).toBe(true);
});
