import { expect, test } from 'vitest';
import { clientClosed } from '../../../server/api-error.ts';
import { createAnswerMemory } from '../../../server/idempotency.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';

function setUp() {
  const memory = createAnswerMemory<string>({
    clock: createFakeClock(),
    keptMs: 1_000,
    maxKept: 10,
    maxBytes: 1_000,
    bytesOf: (text) => text.length,
  });
  const works: { signal: AbortSignal; resolve(text: string): void }[] = [];
  /** Work as the queue does it: refused when nobody waits any more. */
  const begin = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      works.push({ signal, resolve });
      signal.addEventListener('abort', () => reject(clientClosed()));
    });
  const ask = (signal: AbortSignal) => memory.answer('key', 'content', signal, begin);
  return { ask, works };
}

test('one of two callers leaves: the other gets the answer', async () => {
  const { ask, works } = setUp();
  const [leaving, staying] = [new AbortController(), new AbortController()];
  const lost = ask(leaving.signal);
  const kept = ask(staying.signal);
  leaving.abort();
  await expect(lost).rejects.toMatchObject({ code: 'client_closed' });
  expect(works[0]?.signal.aborted).toBe(false);
  works[0]?.resolve('words');
  await expect(kept).resolves.toBe('words');
});

test('the last caller leaves: the work is told, and who comes next begins anew', async () => {
  const { ask, works } = setUp();
  const leaving = new AbortController();
  const lost = ask(leaving.signal);
  leaving.abort();
  expect(works[0]?.signal.aborted).toBe(true);
  // In the same breath, before the refused work is forgotten.
  const next = ask(new AbortController().signal);
  await expect(lost).rejects.toMatchObject({ code: 'client_closed' });
  await expect.poll(() => works.length).toBe(2);
  works[1]?.resolve('anew');
  await expect(next).resolves.toBe('anew');
});

test('a caller who is gone already begins nothing', async () => {
  const { ask, works } = setUp();
  await expect(ask(AbortSignal.abort())).rejects.toMatchObject({ code: 'client_closed' });
  expect(works).toHaveLength(0);
});
