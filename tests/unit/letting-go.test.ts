import { expect, test, vi } from 'vitest';
import { createLettingGo } from '../../workers/session/letting-go.ts';
import { DictationEntries } from '../../workers/upload/dictation-entry.ts';

type LettingGoPorts = Parameters<typeof createLettingGo>[0];

test('deletes the journals of all sessions but those spared, and those whose text has its place in a page', async () => {
  const removed: string[] = [];
  const ports = {
    journal: {
      list: async () => ['dead', 'awaited', 'open'].map((dictationId) => ({ dictationId })),
      remove: async (dictationId: string) => void removed.push(dictationId),
      flush: async () => {},
    },
    queue: {
      discardAll: vi.fn(async () => {}),
      look: async () => true,
      sessionClosed() {},
      cache: { hasUnstored: () => false },
    },
    locks: { takeOrphan: async () => () => {} },
    accounts: { journalDeleted() {} },
    isPlaceHeld: async (dictationId: string) => dictationId === 'awaited',
    recordings: { deleteAll: async () => {}, complete: async () => {} },
    entries: new DictationEntries(),
    publishLedger() {},
  } as unknown as LettingGoPorts;
  await createLettingGo(ports).deleteAll(new Set(['open']));
  expect(removed).toEqual(['dead']);
});

test('a journal that cannot be deleted now is kept from others until it is gone', async () => {
  const told: string[] = [];
  let isBack = false;
  const journal = {
    list: async () => [{ dictationId: 'over' }],
    async remove() {
      if (!isBack) throw new Error('The disk is away');
    },
    async flush() {
      if (!isBack) throw new Error('The disk is away');
    },
  };
  const cache = { hasUnstored: () => false };
  const queue = { discardAll: async () => {}, look: async () => true, sessionClosed() {}, cache };
  const ports = {
    journal,
    queue,
    locks: { takeOrphan: async () => () => void told.push('released') },
    accounts: { journalDeleted() {} },
    isPlaceHeld: async () => false,
    recordings: { deleteAll: async () => {}, complete: async () => {} },
    entries: new DictationEntries(),
    publishLedger() {},
  } as unknown as LettingGoPorts;
  const lettingGo = createLettingGo(ports);
  await lettingGo.deleteAll(new Set());
  expect(lettingGo.isHeld('over')).toBe(true);
  expect(told).toEqual([]);
  // Asked for once more: whoever keeps it lets it go.
  isBack = true;
  await lettingGo.deleteAll(new Set());
  expect(told).toEqual(['released']);
  expect(lettingGo.isHeld('over')).toBe(false);
});
