import { expect, test, vi } from 'vitest';
import type { BenchmarkRow } from '../../src/benchmark/report.ts';
import { SpeedPlot } from '../../src/benchmark/SpeedPlot.tsx';
import { render } from '../helpers/render.tsx';

// Alone in its file: a library that did not run once never runs again in its page.
test('where the browser’s language is none, nothing is plotted, and nothing else is missing', async () => {
  vi.spyOn(navigator, 'language', 'get').mockReturnValue('C');
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const rows = [{ engine: 'kernel', model: 'v6', threads: 1, xRealtime: 2_000 }];
  const { host } = render(<SpeedPlot rows={rows as unknown as BenchmarkRow[]} />);
  await expect.poll(() => warned.mock.calls, { timeout: 15_000 }).toHaveLength(1);
  expect(warned).toHaveBeenCalledWith('Nothing is plotted here', expect.any(RangeError));
  expect(host.querySelector('figcaption')?.textContent).not.toBe('');
  expect(host.querySelector('canvas')).toBeNull();
});
