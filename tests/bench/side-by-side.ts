import type { Page } from 'playwright';
import type { BenchmarkPlan } from '../../src/benchmark/run-benchmark.ts';
import type { SideBySide } from './harness/side-by-side.ts';

/** Ten engines take their time where much else runs. */
const RUN_DEADLINE_MS = 300_000;

/** Runs the benchmark page's own code in a page of the harness that has the peer, too. */
export async function measureSideBySide(
  page: Page,
  url: string,
  plan: BenchmarkPlan,
): Promise<SideBySide> {
  page.setDefaultTimeout(RUN_DEADLINE_MS);
  page.on('pageerror', ({ message }) => console.error(message));
  await page.goto(url);
  await page.getByText('ready').waitFor();
  return await page.evaluate<SideBySide, BenchmarkPlan>((plan) => {
    const { measure } = globalThis as unknown as {
      measure: (plan: BenchmarkPlan) => Promise<SideBySide>;
    };
    return measure(plan);
  }, plan);
}
