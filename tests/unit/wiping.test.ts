import { expect, test, vi } from 'vitest';
import { createUnstoredSessions } from '../../workers/session/unstored-sessions.ts';
import { type WipingPorts, wipeAll } from '../../workers/session/wiping.ts';

type UnstoredPorts = Parameters<typeof createUnstoredSessions>[0];

test('deletes the journals of all sessions but those spared, and those whose text has its place in a page', async () => {
  const removed: string[] = [];
  const ports = {
    journal: {
      list: async () => ['dead', 'awaited', 'open'].map((sessionId) => ({ sessionId })),
      remove: async (sessionId: string) => void removed.push(sessionId),
    },
    queue: { discardAll: vi.fn(async () => {}), look: async () => true },
    locks: { takeOrphan: async () => () => {} },
    kept: { forget() {} },
    unstored: { takeFrom() {}, hold: async () => {} },
    accounts: { journalDeleted() {} },
    isPlaceHeld: async (sessionId: string) => sessionId === 'awaited',
    recordings: { deleteAll: async () => {}, complete: async () => {} },
    recovery: { ended: async () => {} },
    publishLedger() {},
  } as unknown as WipingPorts;
  await wipeAll(ports, new Set(['open']));
  expect(removed).toEqual(['dead']);
});

test('a journal that cannot be deleted now is kept from others until it is gone', async () => {
  const told: string[] = [];
  let isBack = false;
  const journal = {
    list: async () => [{ sessionId: 'over' }],
    async remove() {
      if (!isBack) throw new Error('The disk is away');
    },
    async flush() {
      if (!isBack) throw new Error('The disk is away');
    },
  };
  const cache = { hasUnstored: () => false };
  const queue = { discardAll: async () => {}, look: async () => true, sessionClosed() {}, cache };
  const unstored = createUnstoredSessions({ queue, journal } as unknown as UnstoredPorts);
  const ports = {
    journal,
    queue,
    locks: { takeOrphan: async () => () => void told.push('released') },
    kept: { forget() {} },
    unstored,
    accounts: { journalDeleted() {} },
    isPlaceHeld: async () => false,
    recordings: { deleteAll: async () => {}, complete: async () => {} },
    recovery: { ended: async () => {} },
    publishLedger() {},
  } as unknown as WipingPorts;
  await wipeAll(ports, new Set());
  expect(unstored.has('over')).toBe(true);
  expect(told).toEqual([]);
  // Asked for once more: whoever keeps it lets it go.
  isBack = true;
  await wipeAll(ports, new Set());
  expect(told).toEqual(['released']);
  expect(unstored.has('over')).toBe(false);
});
