import { expect, test } from 'vitest';
import { createAnswerMemory } from '../../../server/answers/answer-memory.ts';
import { clientClosed } from '../../../server/core/api-error.ts';
import { collectGarbage } from '../../helpers/collect-garbage.ts';
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

/** Answers many keys one after another, keeping hold of none of them. */
async function answerMany(count: number, limits: { maxKept: number; maxBytes: number }) {
  type Answer = { readonly words: string };
  const clock = createFakeClock();
  const memory = createAnswerMemory<Answer>({
    clock,
    keptMs: 600_000,
    bytesOf: ({ words }) => words.length,
    ...limits,
  });
  const given: WeakRef<Answer>[] = [];
  const never = new AbortController().signal;
  const ask = (index: number) =>
    memory.answer(`key ${index}`, 'content', never, async () => {
      const answer = { words: String(index % 10).repeat(1_000) };
      given.push(new WeakRef(answer));
      return answer;
    });
  for (let index = 0; index < count; index++) await ask(index);
  const held = async () => {
    await collectGarbage();
    return given.filter((answer) => answer.deref() !== undefined).length;
  };
  return { clock, held, given, ask };
}

test('what was thrown out is gone at once, and no timer holds it', async () => {
  const { clock, held } = await answerMany(200, { maxKept: 5, maxBytes: 1e9 });
  expect(clock.waits().length).toBeLessThanOrEqual(1);
  expect(await held()).toBeLessThanOrEqual(6);
});

test('the bytes kept are bounded, whatever their number', async () => {
  const { held, ask, given } = await answerMany(200, { maxKept: 500, maxBytes: 10_000 });
  expect(await held()).toBeLessThanOrEqual(11);
  // The newest are those that are kept, and one that is kept is not worked on again.
  await ask(199);
  expect(given).toHaveLength(200);
  await ask(0);
  expect(given).toHaveLength(201);
});

test('an answer larger than all that may be kept is given, and not kept', async () => {
  const { ask, given } = await answerMany(1, { maxKept: 5, maxBytes: 999 });
  await ask(0);
  expect(given).toHaveLength(2);
});

test('nothing is kept longer than it may be, though nobody asks', async () => {
  const { clock, held } = await answerMany(20, { maxKept: 500, maxBytes: 1e9 });
  await clock.advance(660_000);
  expect(await held()).toBe(0);
  expect(clock.waits()).toEqual([]);
});
