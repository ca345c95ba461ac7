import { expect, test, vi } from 'vitest';
import { createEarlyRecording } from '../../src/page/open-dictation.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';

function setUp(answer = {}) {
  const fake = createFakeDictation(answer);
  return { fake, ...createEarlyRecording(fake, () => ({ language: 'sv' })) };
}

test('what was begun is taken over by the first start, whose receiver gets the text', async () => {
  const { fake, early, dictation } = setUp();
  early.begin();
  const deliver = vi.fn(() => true);
  expect(await dictation.start({ language: 'en', deliver })).toEqual({ ok: true });
  expect(fake.started).toMatchObject([{ language: 'sv' }]);
  expect(await fake.deliver('hej')).toBe(true);
  expect(deliver).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ text: 'hej' }),
    expect.any(AbortSignal),
  );
});

test('a text that comes before anybody has taken it over waits for that', async () => {
  const { fake, early, dictation } = setUp();
  early.begin();
  early.end();
  expect(fake.calls).toEqual(['start', 'stop']);
  const delivered = fake.deliver('hej');
  expect(await dictation.start({ deliver: () => 'altered' })).toEqual({ ok: true });
  expect(await delivered).toBe('altered');
  expect(fake.calls).toEqual(['start', 'stop']);
});

test('so does a piece; a receiver without a place for pieces takes none', async () => {
  for (const [given, verdict] of [
    [{ deliverPiece: () => true as const }, true],
    [{}, false],
  ] as const) {
    const { fake, early, dictation } = setUp();
    early.begin();
    const piece = fake.started[0]?.deliverPiece?.('ett', new AbortController().signal, 0);
    void dictation.start(given);
    expect(await piece).toBe(verdict);
  }
});

test('thrown away, it is had back by the receiver that takes it over', async () => {
  const { fake, early, dictation } = setUp();
  early.begin();
  early.cancel();
  expect(fake.calls).toEqual(['start', 'cancel']);
  const delivered = fake.deliver('hej');
  const deliver = vi.fn(() => true);
  expect(await dictation.start({ deliver })).toEqual({ ok: true });
  expect([await delivered, fake.calls]).toEqual([true, ['start', 'cancel']]);
  expect(deliver).toHaveBeenCalledOnce();
});

test('refused, the start that takes it over is told so, and the next one is a new one', async () => {
  const answer = { isRefused: true };
  const { fake, early, dictation } = setUp(answer);
  early.begin();
  expect(await dictation.start()).toEqual({ ok: false, reason: 'microphone-denied' });
  answer.isRefused = false;
  const deliver = () => true;
  expect(await dictation.start({ deliver })).toEqual({ ok: true });
  expect(fake.started).toHaveLength(2);
  expect(fake.started[1]).toEqual({ deliver });
});

test('with nothing begun, a start is a start', async () => {
  const { fake, dictation } = setUp();
  const options = { language: 'en' };
  expect(await dictation.start(options)).toEqual({ ok: true });
  expect(fake.started).toEqual([options]);
});
