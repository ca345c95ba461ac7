import { devTools } from './dev-tools.ts';
import { placeAtRest } from './place-at-rest.ts';

/** A finger of Chromium's own: what it does goes through the browser's gestures. */
export type RealFinger = {
  down(): Promise<void>;
  slide(x: number, y: number): Promise<void>;
  up(): Promise<void>;
};

/** A finger on the middle of an element that stands still. */
export async function realFingerOn(find: () => Element): Promise<RealFinger> {
  const { left, top, width, height } = await placeAtRest(find);
  // The browser counts from its window, in which the test's page is a frame, perhaps made smaller.
  const frame = window.frameElement?.getBoundingClientRect() ?? new DOMRect();
  const scale = frame.width / window.innerWidth || 1;
  let x = left + width / 2;
  let y = top + height / 2;
  const send = async (type: string, points: readonly object[]): Promise<void> => {
    await devTools().send('Input.dispatchTouchEvent', { type, touchPoints: points });
  };
  const point = () => ({ x: frame.left + x * scale, y: frame.top + y * scale });
  return {
    down: () => send('touchStart', [point()]),
    slide(byX, byY) {
      x += byX;
      y += byY;
      return send('touchMove', [point()]);
    },
    up: () => send('touchEnd', []),
  };
}
