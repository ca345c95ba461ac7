import { onTestFinished } from 'vitest';
import { commands } from 'vitest/browser';
import { nextFrame } from './came.ts';
import { devTools } from './dev-tools.ts';
import { isChromium, isFirefox } from './engine.ts';

/** Nothing else in a scene has this colour. */
const CARET_STYLE = 'caret-color: rgb(255, 0, 255); caret-animation: manual;';
/** A caret is away for about half a second, and a picture takes a fifth of one. */
const MAX_PICTURES = 40;
const SCENE_ID = 'painted-caret-scene';
const SCENE_SIZE = { width: 400, height: 260 } as const;

/** A white place of its own in the page for one test, with HTML in it: what a picture is taken of. */
export function mountScene(html: string): HTMLElement {
  const scene = document.createElement('div');
  scene.id = SCENE_ID;
  scene.style.cssText = `position: relative; width: ${SCENE_SIZE.width}px;
    height: ${SCENE_SIZE.height}px; overflow: hidden; background: white; ${CARET_STYLE}`;
  scene.innerHTML = html;
  document.body.append(scene);
  onTestFinished(() => scene.remove());
  return scene;
}

/** Where the engine itself has painted the caret of a scene, in client pixels of its frame. */
export async function paintedCaret(): Promise<DOMRect> {
  const scene = document.getElementById(SCENE_ID);
  if (scene === null) throw new Error('There is no scene.');
  const shown = isFirefox ? mountCopy(scene) : scene;
  try {
    // A picture may be of a frame that was drawn before the caret came where it is.
    await nextFrame();
    await nextFrame();
    for (let count = 0; count < MAX_PICTURES; count += 1) {
      const rect = caretIn(await pictureOf(shown));
      if (rect) return inScene(rect, scene);
      await nextFrame();
    }
  } finally {
    if (shown !== scene) shown.remove();
  }
  throw new Error('No caret has been painted.');
}

/** Firefox leaves the caret out of its pictures, but not where one element paints another one. */
function mountCopy(scene: HTMLElement): HTMLElement {
  const copy = document.createElement('div');
  copy.style.cssText = `position: fixed; left: 0; bottom: 0; width: ${SCENE_SIZE.width}px;
    height: ${SCENE_SIZE.height}px; background: -moz-element(#${scene.id}) no-repeat, white;`;
  document.body.append(copy);
  return copy;
}

/** An element as it is seen. Tests run in a frame of the window, which is not scaled here. */
async function pictureOf(element: HTMLElement): Promise<ImageData> {
  const frame = window.frameElement?.getBoundingClientRect() ?? new DOMRect();
  if (Math.abs(frame.width - window.innerWidth) > 0.01) throw new Error('The frame is scaled.');
  const { left, top, width, height } = element.getBoundingClientRect();
  const bytes = Uint8Array.from(atob(await windowPicture()), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const pen = new OffscreenCanvas(width, height).getContext('2d')!;
  pen.drawImage(bitmap, -Math.round(frame.left + left), -Math.round(frame.top + top));
  return pen.getImageData(0, 0, width, height);
}

async function windowPicture(): Promise<string> {
  if (!isChromium) return commands.picture();
  const answer = await devTools().send('Page.captureScreenshot', { format: 'png' });
  return (answer as { readonly data: string }).data;
}

/** The box around all that has the caret's colour. */
function caretIn({ data, width, height }: ImageData): DOMRect | null {
  let box: { left: number; top: number; right: number; bottom: number } | null = null;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4;
      const [red = 0, green = 255, blue = 0] = data.subarray(at, at + 3);
      if (Math.min(red, blue) - green < 60) continue;
      box ??= { left: x, top: y, right: x, bottom: y };
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x + 1);
      box.bottom = y + 1;
    }
  }
  return box && new DOMRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
}

function inScene(rect: DOMRect, scene: HTMLElement): DOMRect {
  const { left, top } = scene.getBoundingClientRect();
  return new DOMRect(left + rect.left, top + rect.top, rect.width, rect.height);
}
