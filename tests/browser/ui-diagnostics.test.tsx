import { expect, onTestFinished, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import type { StorageFacts } from '../../src/core/recordings/recording.ts';
import {
  IDLE_SESSION,
  INITIAL_SNAPSHOT,
  samplesInPlaces,
} from '../../src/core/session/snapshot.ts';
import { Diagnostics } from '../../src/page/OptionsDialog.tsx';
import { createStillDictation } from '../../src/widget/still-dictation.ts';
import { CATALOGUE_LEDGER } from '../catalogue/states.ts';
import { button } from '../helpers/dictation-field.tsx';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { render } from '../helpers/render.tsx';
import { until } from '../helpers/until.ts';

const SECRET = 'hemliga ord';

async function open(ledger = CATALOGUE_LEDGER, storage: Partial<StorageFacts> = {}) {
  const item = makeQueueItem({ state: { kind: 'answered', text: SECRET, needsReview: null } });
  const dictation = createStillDictation({
    ledger,
    queue: { ...INITIAL_SNAPSHOT.queue, items: [item] },
    session: { ...IDLE_SESSION, transcriptions: new Map([[0, SECRET]]) },
    notices: [{ kind: 'upload-failed', error: { code: 'http-network', message: SECRET } }],
  });
  const facts = { isPersisted: null, usedBytes: null, quotaBytes: null, ...storage };
  vi.spyOn(dictation.recordings, 'storage').mockResolvedValue(facts);
  const copy = vi.fn(async (_text: string) => true);
  const { host } = render(<Diagnostics dictation={dictation} copy={copy} language="sv" />);
  host.querySelector('summary')?.click();
  await until(() => host.querySelector('table'));
  return { host, dictation, copy };
}

test('every place is there in seconds, and they add up to what was recorded', async () => {
  expect(samplesInPlaces(CATALOGUE_LEDGER)).toBe(CATALOGUE_LEDGER.capturedSamples);
  const { host } = await open();
  const rows = [...host.querySelectorAll('tbody tr[data-place]')];
  const seconds = rows.map((row) =>
    Number.parseFloat(row.lastChild?.textContent?.replace(',', '.') ?? ''),
  );
  expect(rows).toHaveLength(8);
  expect(host.querySelector('tfoot td')?.textContent).toBe('72,0 s');
  expect(seconds.reduce((sum, each) => sum + each, 0)).toBeCloseTo(72, 0);
  expect(host.textContent).toContain('kunde inte läsas från disken0,3 s');
  expect(host.textContent).toContain('Något saknas');
});

test('it says when all is in order, and follows the account while it is open', async () => {
  const { host, dictation } = await open(INITIAL_SNAPSHOT.ledger);
  expect(host.textContent).toContain('inget är förlorat');
  dictation.set({ ledger: { ...INITIAL_SNAPSHOT.ledger, capturedSamples: 16_000 } });
  await until(() => host.textContent?.includes('Något saknas'));
});

test('what is copied holds the account and no words', async () => {
  const { host, copy } = await open();
  button('Kopiera som JSON', host).click();
  await until(() => host.querySelector('[role="status"]')?.textContent?.startsWith('Kopierat'));
  const [json = ''] = copy.mock.calls[0] ?? [];
  expect(JSON.parse(json)).toMatchObject({
    ledger: CATALOGUE_LEDGER,
    queue: { states: { answered: 1 } },
    notices: [{ kind: 'upload-failed', code: 'http-network' }],
  });
  expect(json).not.toContain(SECRET);
});

test('long facts about the app take more lines on a narrow screen, and no more width', async () => {
  await page.viewport(320, 640);
  const version = document.createElement('meta');
  version.name = 'diktera-version';
  version.content = '10.20.30-candidate.40+0123456789abcdef0123456789abcdef';
  document.head.append(version);
  onTestFinished(() => version.remove());
  const bytes = 123_456_789_012_345;
  const { host } = await open(CATALOGUE_LEDGER, {
    isPersisted: false,
    usedBytes: bytes,
    quotaBytes: bytes,
  });
  const fact = (name: string) => host.querySelector<HTMLElement>(`[data-fact="${name}"]`);
  await expect.poll(() => fact('storage')?.innerText).toMatch(/123\s456\s789/);
  expect(fact('version')?.innerText).toContain(version.content);
  // A scroll bar may take its part.
  const { clientWidth } = document.documentElement;
  for (const row of host.querySelectorAll('tr')) {
    expect(row.getBoundingClientRect().right, row.innerText).toBeLessThanOrEqual(clientWidth);
  }
  expect(document.documentElement.scrollWidth).toBe(clientWidth);
});
