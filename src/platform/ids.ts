/**
 * An id that no other will ever have. Not `crypto.randomUUID`, which only pages served over https
 * have.
 */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
