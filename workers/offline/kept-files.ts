import { PrecacheController, PrecacheRoute } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import type { Clock } from '../../src/core/clock.ts';
import type { AppAnswer, AppMessage } from '../../src/core/contracts/app-messages.ts';
import { hasOtherBuilds } from '../../src/platform/build-locks.ts';
import { withDeadline } from '../../src/platform/deadline.ts';
import { isFull } from '../store/database.ts';

/** The server's word that a page is only for who has signed in. */
const SIGN_IN_HEADER = 'x-diktera-sign-in';

/** A network that does not answer by then is taken to be none. */
const SIGN_IN_DEADLINE_MS = 4_000;

type Entries = ServiceWorkerGlobalScope['__WB_MANIFEST'];

type KeptFilesPorts = {
  readonly scope: ServiceWorkerGlobalScope;
  /** All files of the build, with their hashes. */
  readonly entries: Entries;
  readonly version: string;
  readonly clock: Clock;
};

/**
 * Keeps the build's files, all or none, and answers for them from then on. All other requests, such
 * as the API's, go to the server. Files that pages of another build may ask for stay until there is
 * no such page.
 */
export function serveKeptFiles({ scope, entries, version, clock }: KeptFilesPorts): void {
  const kept = new PrecacheController();
  kept.addToCacheList(entries);

  scope.addEventListener('install', (event) => {
    event.waitUntil(requireRoom(scope.navigator.storage).then(() => keepAll(event)));
  });
  scope.addEventListener('activate', (event) => event.waitUntil(tidy(event)));
  scope.addEventListener('message', (event) => {
    if ((event.data as AppMessage).kind === 'page-here') event.waitUntil(tidy(event));
  });

  /** Files that came before the network went are not fetched again; a full disk gets them back. */
  async function keepAll(event: ExtendableEvent): Promise<void> {
    const cache = await scope.caches.open(kept.strategy.cacheName);
    const before = new Set((await cache.keys()).map(({ url }) => url));
    try {
      await kept.install(event);
    } catch (error) {
      if (!isFull(error)) throw error;
      const own = (await cache.keys()).filter(({ url }) => !before.has(url));
      await Promise.all(own.map((request) => cache.delete(request)));
      throw error;
    }
  }

  async function tidy(event: ExtendableEvent): Promise<void> {
    // The next build's files are there already, and not on this one's list.
    const { installing, waiting } = scope.registration;
    if (installing || waiting || (await hasOtherBuilds(version))) return;
    await kept.activate(event);
  }

  // A page that found a file damaged asks for it past all caches; the answer is kept.
  registerRoute(
    ({ request, url }) => request.cache === 'reload' && isKept(url),
    async ({ request, url }) => {
      const answer = await fetch(request);
      if (answer.ok) await keep(url, answer.clone());
      return answer;
    },
  );
  registerRoute(({ request, url }) => request.mode === 'navigate' && isPage(url), openPage);
  registerRoute(new PrecacheRoute(kept, { cleanURLs: false }));
  // A page of another build, whose server has only the newest files.
  registerRoute(
    ({ url }) => url.origin === scope.location.origin && url.pathname.includes('/assets/'),
    async ({ request }) => (await scope.caches.match(request.url)) ?? fetch(request),
  );

  function isKept({ href }: URL): boolean {
    return kept.getCacheKeyForURL(href) !== undefined;
  }

  async function keep({ href }: URL, answer: Response): Promise<void> {
    const key = kept.getCacheKeyForURL(href);
    const cache = await scope.caches.open(kept.strategy.cacheName);
    // A full disk: the next one asks anew.
    if (key !== undefined) await cache.put(key, answer).catch(() => {});
  }

  function pagePath({ pathname }: URL): string {
    return pathname.endsWith('/') ? `${pathname}index.html` : pathname;
  }

  function isPage(url: URL): boolean {
    return url.origin === scope.location.origin && isKept(new URL(pagePath(url), url));
  }

  /** Where people sign in the server says who may see the page, as long as it can be asked. */
  async function openPage({ request, url }: { request: Request; url: URL }): Promise<Response> {
    const page = await kept.matchPrecache(pagePath(url));
    if (!page) return fetch(request);
    if (!page.headers.has(SIGN_IN_HEADER)) return page;
    const late = (): never => {
      throw new Error('The server did not answer in time');
    };
    return withDeadline(clock, fetch(request), SIGN_IN_DEADLINE_MS, late).catch(() => page);
  }
}

/** Recordings come first: below this much room they are left all of it. */
const SPARED_BYTES = 100_000_000;

/** Safari has it in no worker of older versions, and a private window may refuse to answer. */
type RoomTeller = { readonly estimate?: StorageManager['estimate'] };

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

/** The route of API requests, which our own server answers; relative to this script. */
const API_ROUTE = { condition: { urlPattern: 'api/*' }, source: 'network' } as const;

/** Not in TypeScript's own list: only Chromium has it. */
type RoutedInstall = ExtendableEvent & {
  readonly addRoutes?: (route: typeof API_ROUTE) => Promise<void>;
};

/**
 * Has the browser send what is asked of the API by itself: this worker would only pass it on, and
 * be started for it, once for every piece of a long dictation. A browser that knows no routes, or
 * refuses this one, asks the worker as before.
 */
export function sendStraightToServer(scope: ServiceWorkerGlobalScope): void {
  scope.addEventListener('install', (event: RoutedInstall) => {
    event.addRoutes?.(API_ROUTE).catch(() => {});
  });
}

/**
 * A new build waits until a page says that it may answer for all of them; then all are told, those
 * that came straight from the server too.
 */
export function takeOverWhenTold(scope: ServiceWorkerGlobalScope, version: string): void {
  const answer: AppAnswer = { kind: 'build-here', version };

  async function tellAll(): Promise<void> {
    const pages = await scope.clients.matchAll({ includeUncontrolled: true, type: 'window' });
    for (const page of pages) page.postMessage(answer);
  }

  scope.addEventListener('activate', (event) => event.waitUntil(tellAll()));
  scope.addEventListener('message', (event) => {
    const { kind } = event.data as AppMessage;
    if (kind === 'take-over') event.waitUntil(scope.skipWaiting());
    else event.source?.postMessage(answer);
  });
}
