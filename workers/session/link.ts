/** What a browser may know of the way to the network. */
type Connection = { readonly saveData?: boolean; readonly effectiveType?: string };

const SLOW: readonly unknown[] = ['slow-2g', '2g', '3g'];

/** False where the browser says that the link is slow, or that data are to be saved. */
export function isLinkFast(): boolean {
  const { connection } = navigator as { readonly connection?: Connection };
  return !connection?.saveData && !SLOW.includes(connection?.effectiveType);
}
