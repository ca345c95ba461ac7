import { setTimeout as sleep } from 'node:timers/promises';
import { appPage } from '../e2e/helpers/app-page.ts';
import { dictationPage } from '../e2e/helpers/dictation-page.ts';
import { controlServiceWorker } from '../e2e/helpers/service-worker-control.ts';
import { createFakeEngine } from '../helpers/fake-engine.ts';
import { startServer } from '../helpers/running-server.ts';
import { launch } from './live-cost.ts';

/** What waited when the page was closed, and how long it took to be sent. */
export type SentWhenClosed = {
  readonly chunks: number;
  readonly audioS: number;
  /** From the browser's call to the last chunk's text, of a recogniser that takes no time. */
  readonly seconds: number;
};

const POLL_MS = 5;

/** Dictates `chunks` times while nobody writes anything down, closes the page, and has it sent. */
export async function measureSentWhenClosed(chunks: number): Promise<SentWhenClosed> {
  const engine = createFakeEngine(null);
  engine.set({ kind: 'loading' });
  const pages = { kind: 'folder', webRoot: 'dist/web' } as const;
  const server = await startServer({ engine: engine.engine, pages });
  const browser = await launch();
  try {
    const context = await browser.newContext({ locale: 'en-US', permissions: ['microphone'] });
    const page = await context.newPage();
    await page.goto(server.url);
    await appPage(page).untilKept();
    const dictation = dictationPage(page);
    await dictation.field.click();
    for (let count = 1; count <= chunks; count += 1) {
      await dictation.startDictating();
      await page.waitForFunction(() => {
        const time = document.querySelector<HTMLTimeElement>('.recording-time')?.dateTime ?? '';
        return Number(time.slice(2, -1)) >= 3;
      });
      await dictation.stopDictating();
      await page
        .locator('.waiting li')
        .nth(count - 1)
        .waitFor();
    }
    const control = await controlServiceWorker(await context.newPage(), server.url);
    await page.close();
    engine.set({ kind: 'ready' });
    const calledMs = performance.now();
    await control.sync('diktera-queue:sv');
    for (let answered = 0; answered < chunks; await sleep(POLL_MS)) {
      for (const call of engine.calls.slice(answered)) {
        call.answer('words');
        answered += 1;
      }
    }
    const samples = engine.calls.reduce((sum, call) => sum + call.samples.length, 0);
    return {
      chunks,
      audioS: Number((samples / 16_000).toFixed(1)),
      seconds: Number(((performance.now() - calledMs) / 1_000).toFixed(2)),
    };
  } finally {
    await browser.close();
    await server.close();
  }
}
