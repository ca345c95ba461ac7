import { expect, test, vi } from 'vitest';
import { samplesInPlaces } from '../../src/core/session/sample-ledger.ts';
import { IDLE_SESSION, INITIAL_SNAPSHOT } from '../../src/core/session/snapshot.ts';
import { Diagnostics } from '../../src/page/Diagnostics.tsx';
import { REVIEW_LEDGER } from '../../src/page/review/states.ts';
import { createStillDictation } from '../../src/widget/still-dictation.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { render } from '../helpers/render.tsx';

const SECRET = 'hemliga ord';

async function open(ledger = REVIEW_LEDGER) {
  const item = makeQueueItem({ state: { kind: 'transcribed', text: SECRET, doubt: null } });
  const dictation = createStillDictation({
    ledger,
    queue: { ...INITIAL_SNAPSHOT.queue, items: [item] },
    session: { ...IDLE_SESSION, transcriptions: new Map([[0, SECRET]]) },
    notices: [{ kind: 'upload-failed', error: { code: 'http-network', message: SECRET } }],
  });
  const copy = vi.fn(async (_text: string) => true);
  const { host } = render(<Diagnostics dictation={dictation} copy={copy} />);
  host.querySelector('summary')?.click();
  await vi.waitUntil(() => host.querySelector('table'));
  return { host, dictation, copy };
}

test('every place is there in seconds, and they add up to what was recorded', async () => {
  expect(samplesInPlaces(REVIEW_LEDGER)).toBe(REVIEW_LEDGER.capturedSamples);
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
  await vi.waitUntil(() => host.textContent?.includes('Något saknas'));
});

test('what is copied holds the account and no words', async () => {
  const { host, copy } = await open();
  host.querySelector('button')?.click();
  await vi.waitUntil(() =>
    host.querySelector('[role="status"]')?.textContent?.startsWith('Kopierat'),
  );
  const [json = ''] = copy.mock.calls[0] ?? [];
  expect(JSON.parse(json)).toMatchObject({
    ledger: REVIEW_LEDGER,
    queue: { states: { transcribed: 1 } },
    notices: [{ kind: 'upload-failed', code: 'http-network' }],
  });
  expect(json).not.toContain(SECRET);
});
