import type { LevelPort } from '../core/ribbon/level-reading.ts';
import {
  createLevelRibbon,
  RIBBON_HEIGHT_PX,
  RIBBON_WIDTH_PX,
} from '../core/ribbon/level-ribbon.ts';
import type { RibbonOrder } from '../core/ribbon/ribbon-orders.ts';
import { ribbonWorker } from './ribbon-worker.ts';

type Order = RibbonOrder<OffscreenCanvas, MessagePort>;
/** A ribbon being drawn somewhere. */
type Drawn = { recolour(colour: string): void; end(): void };

/** What may change a colour while nothing else does. */
const LOOKS = ['(prefers-color-scheme: dark)', '(forced-colors: active)'];

let lastId = 0;

/**
 * Draws a level ribbon into `host`, in its colour: in the worker, or here where there is none.
 * Returns its end.
 */
export function showRibbon(
  host: HTMLElement,
  levels: LevelPort,
  ready: Promise<Worker | null> = ribbonWorker(),
): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  let drawn: Drawn | null = null;
  // An element of its own each time: a canvas can be given to a worker only once.
  const canvas = document.createElement('canvas');
  const scale = window.devicePixelRatio;
  canvas.width = RIBBON_WIDTH_PX * scale;
  canvas.height = RIBBON_HEIGHT_PX * scale;
  host.append(canvas);
  const colour = (): string => getComputedStyle(host).color;

  void ready.then((worker) => {
    if (signal.aborted) return;
    const isForWorker = worker !== null && levels instanceof MessagePort;
    drawn = isForWorker
      ? drawInWorker(worker, canvas, levels, scale, colour())
      : drawHere(canvas, levels, scale, colour());
  });
  for (const look of LOOKS) {
    matchMedia(look).addEventListener('change', () => drawn?.recolour(colour()), { signal });
  }

  return () => {
    listening.abort();
    if (drawn) drawn.end();
    else endLevels(levels);
    canvas.remove();
  };
}

function drawInWorker(
  worker: Worker,
  canvas: HTMLCanvasElement,
  levels: MessagePort,
  scale: number,
  colour: string,
): Drawn {
  lastId += 1;
  const id = lastId;
  const tell = (order: Order, transfer: Transferable[] = []): void =>
    worker.postMessage(order, transfer);
  const surface = canvas.transferControlToOffscreen();
  tell({ kind: 'draw', id, canvas: surface, levels, scale, colour }, [surface, levels]);
  return {
    recolour: (next) => tell({ kind: 'recolour', id, colour: next }),
    end: () => tell({ kind: 'end', id }),
  };
}

function drawHere(
  canvas: HTMLCanvasElement,
  levels: LevelPort,
  scale: number,
  colour: string,
): Drawn {
  const pen = canvas.getContext('2d');
  const ribbon = pen && createLevelRibbon(pen, scale, colour);
  levels.addEventListener('message', ({ data }) => ribbon?.show(data));
  levels.start();
  return {
    recolour: (next) => ribbon?.recolour(next),
    end: () => endLevels(levels),
  };
}

function endLevels(levels: LevelPort): void {
  levels.postMessage('end');
  levels.close();
}
