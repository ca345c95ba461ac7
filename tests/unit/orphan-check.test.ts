import { expect, test } from 'vitest';
import { DikteraError } from '../../src/core/errors.ts';
import { createOrphanCheck } from '../../workers/store/journal.ts';

function setUp(list: () => Promise<readonly { readonly dictationId: string }[]>) {
  const unread: string[] = [];
  const isOrphan = createOrphanCheck({
    journal: { list } as Parameters<typeof createOrphanCheck>[0]['journal'],
    locks: { isOrphan: async () => true },
    onUnread: (dictationId) => unread.push(dictationId),
  });
  return { unread, isOrphan };
}

test('a journal that cannot be looked for keeps no chunk back, and is known not to be read', async () => {
  const { unread, isOrphan } = setUp(() =>
    Promise.reject(new DikteraError('storage-failed', 'unreadable')),
  );
  expect(await isOrphan('dead')).toBe(true);
  expect(unread).toEqual(['dead']);
});

test('what still has a journal is not everybody’s, and nothing is unread', async () => {
  const { unread, isOrphan } = setUp(async () => [{ dictationId: 'dead' }]);
  expect([await isOrphan('dead'), await isOrphan('other')]).toEqual([false, true]);
  expect(unread).toEqual([]);
});
