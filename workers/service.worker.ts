import { browserClock } from '../src/core/browser-clock.ts';
import { serveKeptFiles } from './service/kept-files.ts';

/** The build's, which Workbox fills in; see `tools/service-worker.ts`. */
declare const self: ServiceWorkerGlobalScope;

serveKeptFiles({ scope: self, entries: self.__WB_MANIFEST, clock: browserClock });
