/** Recordings come first: below this much room they are left all of it. */
const SPARED_BYTES = 100_000_000;

/** Throws when the files would take room that recordings may need. */
export async function requireRoom(storage: Pick<StorageManager, 'estimate'>): Promise<void> {
  const { quota, usage } = await storage.estimate();
  if (quota === undefined || usage === undefined) return;
  if (quota - usage < SPARED_BYTES) throw new Error('The disk is nearly full');
}
