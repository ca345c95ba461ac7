/** Recordings come first: below this much room they are left all of it. */
const SPARED_BYTES = 100_000_000;

/** Safari has it in no worker of older versions, and a private window may refuse to answer. */
export type RoomTeller = { readonly estimate?: StorageManager['estimate'] };

/**
 * Throws when the files would take room that recordings may need. A browser that does not say how
 * much there is keeps them.
 */
export async function requireRoom(storage: RoomTeller | undefined): Promise<void> {
  const { quota, usage } = await tell(storage);
  if (quota === undefined || usage === undefined) return;
  if (quota - usage < SPARED_BYTES) throw new Error('The disk is nearly full');
}

async function tell(storage: RoomTeller | undefined): Promise<StorageEstimate> {
  try {
    return (await storage?.estimate?.()) ?? {};
  } catch {
    return {};
  }
}
