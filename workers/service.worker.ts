import { browserClock } from '../src/platform/browser-clock.ts';
import { sendStraightToServer, serveKeptFiles, takeOverWhenTold } from './offline/kept-files.ts';
import { sendWhenClosed } from './offline/send-when-closed.ts';
import { takeShared } from './offline/take-shared.ts';
import { createHealthCheck, lookAtServer } from './server-watch.ts';

declare const self: ServiceWorkerGlobalScope;
/** The build's name, which `tools/service-worker.ts` fills in. */
declare const BUILD_VERSION: string;

takeShared(self);
takeOverWhenTold(self, BUILD_VERSION);
sendStraightToServer(self);
serveKeptFiles({
  scope: self,
  // Workbox puts the list in the place of these words.
  entries: self.__WB_MANIFEST,
  version: BUILD_VERSION,
  clock: browserClock,
});
sendWhenClosed({
  scope: self,
  clock: browserClock,
  random: Math.random,
  log: console,
  server: () => lookAtServer(createHealthCheck({ address: 'api/health', clock: browserClock })),
});
