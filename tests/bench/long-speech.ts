import type { Browser, Page } from 'playwright';
import { setup as buildFaultPage } from '../faults/helpers/build-page.ts';
import { startRecordingServer } from '../faults/helpers/recording-server.ts';
import type { Bench } from '../faults/page/bench.ts';
import { openDiskProfile } from './disk-profile.ts';
import { heapOf } from './heap.ts';
import { memoryByProcess } from './process-memory.ts';

type BenchWindow = { readonly bench: Bench };

/** Minutes between two looks. */
const LOOK_EVERY_MINUTES = 5;
/** Of words of 1.1 s. */
const WORDS_A_MINUTE = 54;
const WORD_SAMPLES = 17_600;
/** Times as fast as one speaks. */
const SPEED = 40;

/**
 * Speaks without a pause into one recording of the real bridge and worker, faster than anybody can,
 * while a server answers. Gives what is left of memory when garbage is collected, every five
 * minutes.
 */
export async function speakFor(minutes: number): Promise<Record<string, object>> {
  await buildFaultPage();
  const server = await startRecordingServer();
  const { context, browser, close } = await openDiskProfile(['--js-flags=--expose-gc']);
  const rows: Record<string, object> = {};
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(server.url);
    await page.evaluate(() => (globalThis as unknown as BenchWindow).bench.prepare());
    await page.evaluate(() => (globalThis as unknown as BenchWindow).bench.start(90_000));
    for (let minute = 1; minute <= minutes; minute += 1) {
      await page.evaluate(
        ([first, count, speed, wordSamples]) =>
          (globalThis as unknown as BenchWindow).bench.speak(first, count, { speed, wordSamples }),
        [(minute - 1) * WORDS_A_MINUTE, WORDS_A_MINUTE, SPEED, WORD_SAMPLES] as const,
      );
      if (minute % LOOK_EVERY_MINUTES === 0 || minute === minutes) {
        rows[`${minute} min`] = await look(browser, page);
      }
    }
    await page.evaluate(() => (globalThis as unknown as BenchWindow).bench.stop());
    rows['after the stop'] = await look(browser, page);
    return rows;
  } finally {
    await close();
    await server.close();
  }
}

async function look(browser: Browser, page: Page): Promise<object> {
  const session = await page.context().newCDPSession(page);
  for (const worker of page.workers()) {
    await worker.evaluate(() => (globalThis as unknown as { gc(): void }).gc());
  }
  const heap = await heapOf(session);
  await session.detach();
  return { ...heap, ...(await memoryByProcess(browser)) };
}
