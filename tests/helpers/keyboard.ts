import { onTestFinished, vi } from 'vitest';
import { isWebKit } from './engine.ts';

/** A telephone's keyboard, which lies over the window and leaves it as large as it is. */
export type Keyboard = {
  /** Comes up, so high, and leaves in sight what is above it. */
  up(heightPx: number): void;
  /** The page is moved up under what is seen, by so much. */
  pan(offsetTopPx: number): void;
  down(): void;
};

/**
 * Tells of a keyboard as iOS and Android do: by what is seen of the window. WebKit measures all from
 * where that begins.
 */
export function fakeKeyboard(): Keyboard {
  const seen = window.visualViewport!;
  const set = (key: 'height' | 'offsetTop', value: number): void =>
    void Object.defineProperty(seen, key, { configurable: true, get: () => value });
  const restore = (): void => {
    Reflect.deleteProperty(seen, 'height');
    Reflect.deleteProperty(seen, 'offsetTop');
  };
  onTestFinished(restore);
  if (isWebKit) measureFromSeen(seen);
  return {
    up(heightPx) {
      set('height', window.innerHeight - heightPx);
      seen.dispatchEvent(new Event('resize'));
    },
    pan(offsetTopPx) {
      set('offsetTop', offsetTopPx);
      seen.dispatchEvent(new Event('scroll'));
    },
    down() {
      restore();
      seen.dispatchEvent(new Event('resize'));
    },
  };
}

/** As in WebKit on a telephone: `getBoundingClientRect` is of what is seen, not of the window. */
function measureFromSeen(seen: VisualViewport): void {
  const spies = [Element.prototype, Range.prototype].map((measured: Element | Range) => {
    const measure = measured.getBoundingClientRect;
    return vi.spyOn(measured, 'getBoundingClientRect').mockImplementation(function (this: never) {
      return moved(measure.call(this));
    });
  });
  const measureLines = Range.prototype.getClientRects;
  const lines = vi.spyOn(Range.prototype, 'getClientRects');
  lines.mockImplementation(function (this: Range) {
    return [...measureLines.call(this)].map(moved) as unknown as DOMRectList;
  });
  const moved = ({ x, y, width, height }: DOMRect): DOMRect =>
    new DOMRect(x, y - seen.offsetTop, width, height);
  onTestFinished(() => {
    for (const spy of [...spies, lines]) spy.mockRestore();
  });
}
