import { assetAddresses } from '../assets/addresses.ts';
import { startWorker } from '../assets/start-worker.ts';
import type { RibbonReport } from '../core/ribbon/ribbon-orders.ts';

/**
 * A worker that has not said anything by then is not waited for: the ribbon is drawn on the page.
 */
const READY_DEADLINE_MS = 3_000;

let running: Promise<Worker | null> | null = null;

/**
 * The worker that draws ribbons for this page, once it runs; null where there can be none. Asked
 * for early it is there when the first ribbon is shown.
 */
export function ribbonWorker(): Promise<Worker | null> {
  running ??= start();
  return running;
}

async function start(): Promise<Worker | null> {
  if (!('transferControlToOffscreen' in HTMLCanvasElement.prototype)) return null;
  const worker = startWorker(assetAddresses().ribbonWorker, 'diktera-ribbon');
  const isReady = await new Promise<boolean>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<RibbonReport>) => resolve(data === 'ready');
    worker.onerror = () => resolve(false);
    setTimeout(() => resolve(false), READY_DEADLINE_MS);
  });
  if (isReady) return worker;
  worker.terminate();
  return null;
}
