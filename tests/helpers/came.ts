/** An event made outside the page must reach it within this number of frames. */
const MAX_FRAMES = 90;

export const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/**
 * Makes an event from outside of the page, and waits until it has come; what it came to, or null if
 * it did not. Drivers answer when they have made it, which may be before.
 */
export async function came(type: string, make: () => Promise<void>): Promise<EventTarget | null> {
  let target: EventTarget | null = null;
  const note = (event: Event) => {
    target = event.composedPath()[0] ?? null;
  };
  window.addEventListener(type, note, { capture: true });
  try {
    await make();
    for (let frame = 0; target === null && frame < MAX_FRAMES; frame += 1) await nextFrame();
    return target;
  } finally {
    window.removeEventListener(type, note, { capture: true });
  }
}
