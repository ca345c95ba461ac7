import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { endWithParent } from '../children/children.ts';
import { createWatchedState, type WatchedState, watchForEver } from './decode-watch.ts';

// The program of a decoding process. Its arguments are the memory it may have, in bytes, and where
// ffmpeg is, or nothing. One thread decodes; the other watches, and loads nothing of the decoders.
if (isMainThread) {
  endWithParent();
  const state = createWatchedState(Number(process.argv[2]));
  startThisAsThread(state).unref();
  const { answerRequests } = await import('./answer-requests.ts');
  answerRequests(state, process.argv[3] || null);
} else {
  watchForEver(workerData as WatchedState);
}

/** Run from source, a thread needs a TypeScript loader of its own. */
function startThisAsThread(state: WatchedState): Worker {
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return new Worker(new URL(here), { workerData: state });
  const program = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(here)}); })`;
  return new Worker(program, { workerData: state, eval: true, execArgv: [] });
}
