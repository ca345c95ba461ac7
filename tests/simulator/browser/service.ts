import { syncTag } from '../../../src/core/contracts/app-messages.ts';
import type { Logger } from '../../../src/core/logger.ts';
import { sendWhenClosed } from '../../../workers/offline/send-when-closed.ts';
import { createHealthCheck, lookAtServer } from '../../../workers/server-watch.ts';
import type { Realm, Scheduler } from '../scheduler.ts';

type SyncListener = (event: {
  readonly tag: string;
  waitUntil(work: Promise<unknown>): void;
}) => void;

/**
 * Starts the real service worker's sending, as the browser does when it sees a network. It is ended
 * when it has done its work.
 */
export function startService(
  name: string,
  ports: { readonly scheduler: Scheduler; readonly log: Logger },
): Realm {
  const { scheduler, log } = ports;
  const realm = scheduler.newRealm(name);
  const end = (): void => scheduler.after(1, { realm: null }, () => scheduler.kill(realm)) as never;
  scheduler.after(5 + scheduler.random() * 50, { realm }, () => {
    let onSync: SyncListener = () => {};
    const scope = {
      navigator,
      location: { href: 'https://made.example/service.js' },
      addEventListener(type: string, listener: SyncListener) {
        if (type === 'sync') onSync = listener;
      },
    };
    const clock = scheduler.clockOf(realm);
    const look = createHealthCheck({ address: 'https://made.example/api/health', clock });
    sendWhenClosed({
      scope: scope as never,
      clock,
      server: () => lookAtServer(look),
      random: scheduler.random,
      log,
    });
    onSync({ tag: syncTag('sv'), waitUntil: (work) => void work.then(end, end) });
  });
  return realm;
}
