import { assertNever } from '../src/core/assert-never.ts';
import type { LevelReading } from '../src/core/ribbon/level-reading.ts';
import { createLevelRibbon, type LevelRibbon } from '../src/core/ribbon/level-ribbon.ts';
import type { RibbonOrder, RibbonReport } from '../src/core/ribbon/ribbon-orders.ts';

/**
 * Draws level ribbons, about five times a second, so that the page need not. Not in the dictation worker:
 * what waits for a slow graphics driver must not keep frames from the journal.
 */
type Shown = { readonly ribbon: LevelRibbon; readonly levels: MessagePort };

const shown = new Map<number, Shown>();

function draw(order: Extract<RibbonOrder<OffscreenCanvas, MessagePort>, { kind: 'draw' }>): void {
  const { id, canvas, levels, scale, colour } = order;
  const pen = canvas.getContext('2d');
  if (!pen) return;
  const ribbon = createLevelRibbon(pen, scale, colour);
  levels.onmessage = ({ data }: MessageEvent<LevelReading>) => ribbon.show(data);
  shown.set(id, { ribbon, levels });
}

function end(id: number): void {
  const { levels } = shown.get(id) ?? {};
  levels?.postMessage('end');
  levels?.close();
  shown.delete(id);
}

self.onmessage = ({ data }: MessageEvent<RibbonOrder<OffscreenCanvas, MessagePort>>) => {
  switch (data.kind) {
    case 'draw':
      draw(data);
      break;
    case 'recolour':
      shown.get(data.id)?.ribbon.recolour(data.colour);
      break;
    case 'end':
      end(data.id);
      break;
    default:
      assertNever(data);
  }
};

const ready: RibbonReport = 'ready';
self.postMessage(ready);
