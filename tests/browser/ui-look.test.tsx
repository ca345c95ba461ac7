import '@fontsource-variable/inter/index.css';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { commands, page, server } from 'vitest/browser';
import { Catalogue } from '../catalogue/Catalogue.tsx';
import { devTools } from '../helpers/dev-tools.ts';
import { inkOfNewestBar } from '../helpers/level-meter.ts';
import { render } from '../helpers/render.tsx';

/** Fonts and the insides of form fields differ between machines: the font comes with the tests. */
const SAME_EVERYWHERE = `
  :root { --font: 'Inter Variable'; --font-text: 'Inter Variable'; }
  select, input { appearance: none; }
  [type='checkbox'] { border: 1px solid; border-radius: 4px; }
  :checked { background: currentColor; }
  [data-part='notices'] .notice:nth-child(n + 5) { display: none; } /* They are all alike. */
  .words-panel { display: none; } /* Tests in another tab write into it. */
`;
/** The same for what is in a shadow tree, whose own styles come after. */
const SAME_INSIDE = `.attached.attached { --font: 'Inter Variable'; }`;
/** An edge may be rounded in another way from run to run; a changed token changes far more. */
const TOLERANCE = { threshold: 0.05, allowedMismatchedPixelRatio: 0.001 };
/** Each version draws a little differently, so each has pictures of its own. */
const BROWSER_VERSION = /Chrome\/(\d+)/.exec(navigator.userAgent)?.[1] ?? '';
/** As tall as the tallest part: what is not in the window is not in the picture. */
const HEIGHT_PX = 4_000;

beforeAll(async () => {
  await Promise.all(
    [400, 500, 600].map((weight) => document.fonts.load(`${weight} 1rem "Inter Variable"`)),
  );
});

describe.each([
  { scheme: 'light', width: 1_000 },
  { scheme: 'dark', width: 320 },
])('$scheme, $width px wide', ({ scheme, width }) => {
  test.each([
    'states',
    'fields',
    'live',
    'notices',
    'alarms',
    'waiting',
    'recent',
    'recent-bin',
    'recent-many',
    'recent-empty',
    'attached',
    'options',
    'swedish',
    'diagnostics',
    'app',
  ])('%s', async (name) => {
    await emulate(scheme);
    await growWindow(HEIGHT_PX);
    await sendPointerAway();
    await page.viewport(width, HEIGHT_PX);
    const part = await review(name);
    await expectLook(part, `${name}-${scheme}-${width}-v${BROWSER_VERSION}`);
  });
});

/** The review page, its ribbons drawn and its panels open: the part with that name. */
async function review(name: string): Promise<HTMLElement> {
  takeAwayStyles();
  const { host } = render(
    <>
      <Catalogue />
      <style>{SAME_EVERYWHERE}</style>
    </>,
  );
  for (const panel of host.querySelectorAll('details')) panel.open = true;
  host.querySelector<HTMLElement>('[data-dictation="made-2"] .dictation-open')?.click();
  for (const { shadowRoot } of host.querySelectorAll('diktera-tools')) {
    shadowRoot?.append(
      Object.assign(document.createElement('style'), { textContent: SAME_INSIDE }),
    );
  }
  const ribbon = () => host.querySelector<HTMLCanvasElement>('[data-state="speaking"] canvas');
  await expect.poll(() => ribbon() && inkOfNewestBar(ribbon()!)).toBeGreaterThan(5_000);
  const isKept = () => host.querySelector('[data-fact="kept"] td')?.textContent;
  await expect.poll(isKept).toBe('Nej');
  const part = host.querySelector<HTMLElement>(`[data-part="${name}"]`)!;
  for (const other of host.querySelectorAll<HTMLElement>('[data-part]')) {
    if (other !== part) other.style.display = 'none';
  }
  fillWholePixels(part);
  return part;
}

/** The catalogue brings its own; files of tests that ran before in this tab have left others. */
function takeAwayStyles(): void {
  const left = [...document.querySelectorAll<HTMLStyleElement>('style[data-vite-dev-id]')]
    .filter(({ dataset }) => dataset.viteDevId?.includes('/src/'))
    .flatMap(({ sheet }) => sheet ?? []);
  for (const sheet of left) sheet.disabled = true;
  onTestFinished(() => {
    for (const sheet of left) sheet.disabled = false;
  });
}

/** Edges within a pixel are rounded differently from run to run. */
function fillWholePixels(part: HTMLElement): void {
  const { top, height } = part.getBoundingClientRect();
  part.style.position = 'relative';
  part.style.top = `${Math.ceil(top) - top}px`;
  part.style.boxSizing = 'border-box';
  part.style.height = `${Math.ceil(height)}px`;
}

/** Two pictures alike, one after the other, of which one takes seconds on a busy machine. */
const STABLE_WITHIN_MS = 20_000;

/**
 * Compares with the picture that is committed. Where there is none yet, says so and writes one: no
 * failure.
 */
async function expectLook(part: HTMLElement, name: string): Promise<void> {
  const file = `tests/browser/__screenshots__/ui-look.test.tsx/${name}-${server.browser}-${server.platform}.png`;
  const isKnown = await commands.readFile(file, 'base64').then(
    () => true,
    () => false,
  );
  try {
    await expect.element(page.elementLocator(part)).toMatchScreenshot(name, {
      comparatorName: 'pixelmatch',
      comparatorOptions: TOLERANCE,
      timeout: STABLE_WITHIN_MS,
    });
  } catch (error) {
    if (isKnown) throw error;
    console.warn(
      `No picture of this for this browser and system yet: look at ${file} and commit it`,
    );
  }
}

/**
 * A test's frame that is larger than the browser's window would be shown, and pictured, smaller.
 */
async function growWindow(height: number): Promise<void> {
  const { innerWidth, innerHeight } = window.parent;
  const resize = (height: number) =>
    devTools().send('Emulation.setDeviceMetricsOverride', {
      width: innerWidth,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
  await resize(height);
  onTestFinished(async () => {
    await resize(innerHeight);
  });
}

/** Another test may have left it where a button is here, which then shows its tooltip. */
async function sendPointerAway(): Promise<void> {
  await devTools().send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 0, y: 0 });
}

async function emulate(scheme: string): Promise<void> {
  const set = (features: readonly object[]) =>
    devTools().send('Emulation.setEmulatedMedia', { features });
  await set([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  onTestFinished(async () => {
    await set([]);
  });
}
