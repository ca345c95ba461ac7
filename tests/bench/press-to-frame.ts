import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright';

/** How long a page that people have been reading has been open; and after a recording, its text. */
const READING_MS = 1_500;

/** What is measured: `microphone` is the least anybody needs, it, a worklet, and 96 ms to speak a frame. */
export const START_PAGES = ['microphone', 'diktera', 'vad-web'] as const;

/**
 * `cold`: everything loads while the microphone opens. `read`: after 1.5 s of reading. `again`: the
 * second press, 1.5 s after the first recording's end.
 */
export const START_STATES = ['cold', 'read', 'again'] as const;

export type StartPage = (typeof START_PAGES)[number];
export type StartState = (typeof START_STATES)[number];

/** From a press to the first frame, in ms, on the harness's page in a browser that never saw it. */
export async function pressToFrameMs(
  page: Page,
  address: string,
  name: StartPage,
  state: StartState,
): Promise<number> {
  await page.goto(`${address}/startup.html?page=${name}&state=${state}`);
  await page.getByText('ready').waitFor();
  if (state !== 'cold') await sleep(READING_MS);
  return await page.evaluate(() => {
    const { pressToFrameMs } = globalThis as unknown as { pressToFrameMs: () => Promise<number> };
    return pressToFrameMs();
  });
}
