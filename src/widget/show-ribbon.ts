import type { LevelPort } from '../core/ribbon/level-reading.ts';
import {
  createLevelRibbon,
  RIBBON_HEIGHT_PX,
  RIBBON_WIDTH_PX,
} from '../core/ribbon/level-ribbon.ts';

/** What may change a colour while nothing else does. */
const LOOKS = ['(prefers-color-scheme: dark)', '(forced-colors: active)'];

/** Draws a level ribbon into `host`, in its colour. Returns its end. */
export function showRibbon(host: HTMLElement, levels: LevelPort): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  const canvas = document.createElement('canvas');
  const scale = window.devicePixelRatio;
  canvas.width = RIBBON_WIDTH_PX * scale;
  canvas.height = RIBBON_HEIGHT_PX * scale;
  host.append(canvas);
  const colour = (): string => getComputedStyle(host).color;

  const pen = canvas.getContext('2d');
  const ribbon = pen && createLevelRibbon(pen, scale, colour());
  levels.addEventListener('message', ({ data }) => ribbon?.show(data));
  levels.start();
  for (const look of LOOKS) {
    matchMedia(look).addEventListener('change', () => ribbon?.recolour(colour()), { signal });
  }

  return () => {
    listening.abort();
    levels.postMessage('end');
    levels.close();
    canvas.remove();
  };
}
