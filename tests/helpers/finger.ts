import type { Meanwhile } from './tap.ts';

/** The events of a finger on an element, as a telephone's browser sends them. */
export type Finger = {
  down(): void;
  /** Slides by so many pixels. */
  slide(x: number, y: number): void;
  /** Lets go, where it is; with the click that a browser makes of a tap, unless told not to. */
  up(end?: { hasClick?: boolean }): void;
  /** Down and up at once, with its click. */
  tap(meanwhile?: Meanwhile): Promise<void>;
  /** The system takes the touch. */
  cancel(): void;
};

/** A finger on what is at the middle of an element, or on an element that lies upon it. */
export function fingerOn(element: Element, { pointerId = 7, pointerType = 'touch' } = {}): Finger {
  const { left, top, width, height } = element.getBoundingClientRect();
  let clientX = left + width / 2;
  let clientY = top + height / 2;
  const make = (type: string): PointerEvent =>
    new PointerEvent(type, {
      bubbles: true,
      cancelable: true,
      composed: true,
      pointerId,
      pointerType,
      isPrimary: true,
      clientX,
      clientY,
    });
  const send = (type: string): boolean => element.dispatchEvent(make(type));
  const click = (): void => {
    for (const type of ['mousedown', 'mouseup', 'click']) {
      element.dispatchEvent(
        new MouseEvent(type, { bubbles: true, cancelable: true, composed: true, detail: 1 }),
      );
    }
  };
  return {
    down: () => void send('pointerdown'),
    slide(x, y) {
      clientX += x;
      clientY += y;
      send('pointermove');
    },
    up({ hasClick = true } = {}) {
      send('pointerup');
      if (hasClick) click();
    },
    async tap(meanwhile) {
      const [down, up] = [make('pointerdown'), make('pointerup')];
      element.dispatchEvent(down);
      await meanwhile?.();
      element.dispatchEvent(up);
      click();
    },
    cancel: () => void send('pointercancel'),
  };
}
