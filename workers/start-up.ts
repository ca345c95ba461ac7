import { sleep } from '../src/core/async.ts';
import type { Clock } from '../src/core/clock.ts';
import type { EngineChoice } from '../src/core/speech/speech-engine.ts';
import type { WorkerParts } from './assemble-worker.ts';

/** An engine that takes longer to load does not keep earlier dictations waiting. */
const HEAD_START_MS = 1_000;

/**
 * The press that started this worker has its first frame by then; what is not for it would only be
 * in its way.
 */
const FIRST_FRAME_MS = 250;

/**
 * Who presses as soon as the page is there has the first frame by then, on a slow network too;
 * whoever loses the network has what files are made with.
 */
const FILE_HEAD_START_MS = 2_000;

/**
 * What a new worker does by itself: the engine first, since a press may come at any moment; then
 * how the server is, what earlier days have left, and the audio format; at last what files are made
 * with.
 */
export async function startUp(
  { engines, server, queue, recovery, recordings, encoder, claimUnowned }: WorkerParts,
  choice: EngineChoice,
  ports: { readonly clock: Clock },
): Promise<void> {
  await Promise.race([engines.get(choice), sleep(ports.clock, HEAD_START_MS)]);
  await sleep(ports.clock, FIRST_FRAME_MS);
  loadLocales();
  server.ask();
  await claimUnowned();
  queue.start();
  let isFirst = true;
  const onLooked = (): void => {
    queue.recovered();
    if (isFirst) void recordings.look();
    isFirst = false;
  };
  void recovery.watch(onLooked);
  // Starting a recording reports why there is none.
  await encoder.chooseType().catch(() => {});
  await sleep(ports.clock, FILE_HEAD_START_MS);
  await encoder.proveFiles().catch(() => {});
}

/**
 * The first number or time that is written in a language has Chromium load what it knows of all
 * languages, once a process: 12 ms, 87 on a processor slowed 6 times. Here nobody feels it; on the
 * page it would be in the way of a press. Whatever is shown with one in it comes later: how the
 * server is, what waits.
 */
function loadLocales(): void {
  new Intl.NumberFormat();
  new Intl.DateTimeFormat();
}
