import { syncTag } from '../../core/contracts/app-sync.ts';
import type { Dictation } from '../../core/contracts/dictation.ts';
import { isWanting } from '../../core/queue/queue-item.ts';

/** Not in TypeScript's own list: only Chromium has it. */
type WithSync = ServiceWorkerRegistration & {
  readonly sync?: { register(tag: string): Promise<void> };
};

/**
 * Has the browser call the service worker when there is a network, as long as something waits: this
 * page may be closed by then. Where no browser calls, it is sent at the next opening.
 */
export function sendWhenClosed(
  dictation: Dictation,
  registration: WithSync,
  language: () => string,
): void {
  let asked = 0;
  const ask = (): void => {
    // Refused in a private window, and where a person has turned it off.
    registration.sync?.register(syncTag(language())).catch(() => {});
  };
  const waiting = (): number =>
    dictation.getSnapshot().queue.items.filter(({ state }) => isWanting(state)).length;

  dictation.subscribe(() => {
    const now = waiting();
    if (now > asked) ask();
    asked = now;
  });
  // The browser may have called, in vain, while this page was sending.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' && waiting() > 0) ask();
  });
  if (waiting() > 0) ask();
}
