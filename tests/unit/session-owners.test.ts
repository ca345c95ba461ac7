import { expect, test } from 'vitest';
import { createSessionOwners } from '../../workers/upload/session-owners.ts';

function setUp() {
  const open = new Set<string>();
  const owners = createSessionOwners(async (sessionId) => !open.has(sessionId));
  return { open, owners };
}

test('a session let go with its rest in the journal is to be brought until it is here', () => {
  const { owners } = setUp();
  owners.adopt('s');
  expect(owners.isAllBrought).toBe(true);
  owners.disown('s');
  expect([owners.isForeign('s'), owners.isAllBrought]).toEqual([true, false]);
  owners.adopt('s');
  expect([owners.isForeign('s'), owners.isAllBrought]).toEqual([false, true]);
});

test('or until another tab has brought, or deleted, what the journal had', async () => {
  const { owners, open } = setUp();
  open.add('s');
  owners.adopt('s');
  owners.disown('s');
  await owners.look(new Set());
  expect(owners.isAllBrought).toBe(false);
  open.delete('s');
  await owners.look(new Set());
  expect(owners.isAllBrought).toBe(true);
});

test('and again while somebody has it for a moment: who waits for its text does not give it up', async () => {
  const { owners, open } = setUp();
  const queued = new Set(['s']);
  await owners.look(queued);
  open.add('s');
  await owners.look(queued);
  expect([owners.isForeign('s'), owners.isAllBrought]).toEqual([true, false]);
  open.delete('s');
  await owners.look(queued);
  expect([owners.isForeign('s'), owners.isAllBrought]).toEqual([false, true]);
  open.add('s');
  await owners.look(queued);
  // Thrown away there.
  open.delete('s');
  await owners.look(new Set());
  expect(owners.isAllBrought).toBe(true);
});
