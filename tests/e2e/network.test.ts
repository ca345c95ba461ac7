import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { firstFrameFiles } from '../../tools/size-budget.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const BUDGET_BYTES = 600_000;

/**
 * These come with the press, when the page has been at rest for a little, or when somebody has been
 * heard: on a slow machine before the first inference. What a browser fetches keeps the budget too.
 */
const AT_REST =
  /^assets\/(fit-to-place|storage-keeper|free-place|NoteLayer|download|fields|server|later-parts|opened-files|use-server|DictationList|dictation-words|Bin|dictations|said-in|ConfirmDialog|rotate-cw|packet-file|webm-file)-/;

type Fetched = { readonly path: string; readonly bytes: number };

const serverUrl = inject('serverUrl');
let browser: SpeakingBrowser;
let atFirstFrame: readonly Fetched[];
let inAll: readonly Fetched[];
const origins = new Set<string>();

/** Keeps what page, worker and worklet fetch, by path; a recording's upload is another matter. */
async function dictateAndListen(): Promise<void> {
  const { page } = browser;
  const finished: Promise<Fetched>[] = [];
  page.on('requestfinished', (request) => {
    const { origin, pathname } = new URL(request.url());
    origins.add(origin);
    if (pathname.startsWith('/api/')) return;
    const path = pathname === '/' ? 'index.html' : pathname.slice(1);
    finished.push(request.sizes().then(({ responseBodySize: bytes }) => ({ path, bytes })));
  });

  // English, as the server has it: Swedish brings the panel that offers it.
  await page.addInitScript(() =>
    localStorage.setItem('diktera:settings', JSON.stringify({ language: 'en' })),
  );
  await page.goto(serverUrl);
  const dictation = dictationPage(page);
  await dictation.field.click();
  await dictation.startDictating();
  // The time recorded moves with processed frames.
  await dictation.recordUntil(0.09);
  atFirstFrame = await Promise.all(finished);
  await dictation.stopDictating();
  inAll = await Promise.all(finished);
}

beforeAll(async () => {
  browser = await openSpeakingBrowser({
    wavPath: 'tests/fixtures/dictation-two.wav',
    url: 'about:blank',
  });
  await dictateAndListen();
});
afterAll(async () => {
  await browser?.close();
});

const paths = (files: readonly Fetched[]) => [...new Set(files.map(({ path }) => path))].toSorted();

describe('what comes over the wire', () => {
  test('before the first inference: what the size budget counts, and no more', () => {
    const counted = firstFrameFiles(process.env.WEB_ROOT ?? 'dist/web');
    // On a slow machine the page's own requests may come before its first frame.
    const uncounted = paths(atFirstFrame).filter(
      (path) => !counted.some((file) => file.path === path) && !AT_REST.test(path),
    );
    expect(uncounted).toEqual([]);
    expect(paths(atFirstFrame)).toEqual(
      expect.arrayContaining(paths(counted).filter((path) => path !== 'icon.svg')),
    );
  });

  test('onnxruntime-web is not fetched at all, nor its model', () => {
    expect(paths(inAll).filter((path) => /ort|onnx/.test(path))).toEqual([]);
  });

  test('it stays within the budget as the browser counts it', () => {
    const total = atFirstFrame.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(total).toBeGreaterThan(BUDGET_BYTES / 4);
    expect(total).toBeLessThanOrEqual(BUDGET_BYTES);
  });

  test('it all comes from our own server', () => {
    expect([...origins]).toEqual([serverUrl]);
    expect(browser.errors).toEqual([]);
  });
});
