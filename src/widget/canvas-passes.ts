/** A message to oneself: what is not there by then does not come. */
const DEADLINE_MS = 1_000;

let known: Promise<boolean> | null = null;

/**
 * Whether a canvas can be given away through a port: Firefox (153) loses the message. Found out
 * once, by trying it.
 */
export function canvasPasses(): Promise<boolean> {
  known ??= tryIt();
  return known;
}

async function tryIt(): Promise<boolean> {
  if (!('transferControlToOffscreen' in HTMLCanvasElement.prototype)) return false;
  const { port1, port2 } = new MessageChannel();
  const canvas = document.createElement('canvas').transferControlToOffscreen();
  try {
    return await new Promise<boolean>((resolve) => {
      port2.onmessage = () => resolve(true);
      port2.onmessageerror = () => resolve(false);
      setTimeout(() => resolve(false), DEADLINE_MS);
      port1.postMessage(canvas, [canvas]);
    });
  } catch {
    return false;
  } finally {
    port1.close();
  }
}
