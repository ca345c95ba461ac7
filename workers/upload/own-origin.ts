/** Whether an address is of the page's own origin; where there is no page there is no other. */
export function isOfOrigin(address: string): boolean {
  const { origin } = globalThis;
  return origin === undefined || new URL(address, origin).origin === origin;
}
