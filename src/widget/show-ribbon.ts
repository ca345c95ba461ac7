import {
  createLevelRibbon,
  type LevelPort,
  RIBBON_HEIGHT_PX,
  RIBBON_WIDTH_PX,
  type RibbonOrder,
} from '../core/audio/level-meter.ts';
import { isGecko } from '../field/dom.ts';

/** A ribbon being drawn somewhere. */
type Drawn = { recolour(colour: string): void };

/** What may change a colour while nothing else does. */
const LOOKS = ['(prefers-color-scheme: dark)', '(forced-colors: active)'];

/**
 * Draws a level ribbon into `host`, in its colour: by the worker that tells the levels, or here
 * where there is none or it can't be given a canvas (Firefox). Returns its end.
 */
export function showRibbon(host: HTMLElement, levels: LevelPort): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  // An element of its own each time: a canvas can be given to a worker only once.
  const canvas = document.createElement('canvas');
  const scale = window.devicePixelRatio;
  canvas.width = RIBBON_WIDTH_PX * scale;
  canvas.height = RIBBON_HEIGHT_PX * scale;
  host.append(canvas);
  const colour = (): string => getComputedStyle(host).color;

  // Firefox (153) loses the message that brings a port the canvas of a page.
  const canBeGiven = 'transferControlToOffscreen' in canvas && !isGecko();
  const drawn =
    canBeGiven && levels instanceof MessagePort
      ? drawInWorker(canvas, levels, scale, colour())
      : drawHere(canvas, levels, scale, colour());
  for (const look of LOOKS) {
    matchMedia(look).addEventListener('change', () => drawn?.recolour(colour()), { signal });
  }

  return () => {
    listening.abort();
    levels.postMessage('end');
    levels.close();
    canvas.remove();
  };
}

function drawInWorker(
  canvas: HTMLCanvasElement,
  levels: MessagePort,
  scale: number,
  colour: string,
): Drawn {
  const tell = (order: RibbonOrder<OffscreenCanvas>, transfer: Transferable[] = []): void =>
    levels.postMessage(order, transfer);
  const surface = canvas.transferControlToOffscreen();
  tell({ kind: 'draw', canvas: surface, scale, colour }, [surface]);
  return { recolour: (next) => tell({ kind: 'recolour', colour: next }) };
}

function drawHere(
  canvas: HTMLCanvasElement,
  levels: LevelPort,
  scale: number,
  colour: string,
): Drawn | null {
  const pen = canvas.getContext('2d');
  const ribbon = pen && createLevelRibbon(pen, scale, colour);
  levels.addEventListener('message', ({ data }) => ribbon?.show(data));
  levels.start();
  return ribbon;
}
