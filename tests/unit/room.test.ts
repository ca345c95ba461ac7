import { expect, test, vi } from 'vitest';

// Workbox, beside it, looks for a worker.
vi.stubGlobal('self', globalThis);
const { requireRoom } = await import('../../workers/offline/kept-files.ts');

const storage = (estimate: StorageEstimate) => ({ estimate: async () => estimate });

test('recordings are left 100 MB: with less, nothing else is kept', async () => {
  const full = storage({ quota: 1_000_000_000, usage: 900_000_001 });
  await expect(requireRoom(full)).rejects.toThrow('nearly full');
  await requireRoom(storage({ quota: 1_000_000_000, usage: 900_000_000 }));
});

test('a browser that does not say how much there is keeps the page', async () => {
  await requireRoom(storage({}));
  // Safari before 17 has none in its workers; a private window may refuse.
  await requireRoom({});
  await requireRoom(undefined);
  await requireRoom({ estimate: () => Promise.reject(new TypeError('refused')) });
});
