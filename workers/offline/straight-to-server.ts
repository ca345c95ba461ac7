/** Of the API's requests, which our own server answers; beside this script. */
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
