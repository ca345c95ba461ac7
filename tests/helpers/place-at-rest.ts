import { until } from './until.ts';

/** A toolbar at the caret is placed when it is laid out, and anew when the page grows. */
export async function placeAtRest(find: () => Element): Promise<DOMRect> {
  let before = new DOMRect();
  return await until(async () => {
    await new Promise(requestAnimationFrame);
    const place = find().getBoundingClientRect();
    const isAtRest = place.top === before.top && place.left === before.left && place.width > 0;
    before = place;
    return isAtRest && place;
  });
}
