import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startSoundServer } from '../drivers/sound-server.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { buildLivePage, LIVE_PAGE_FOLDER } from './helpers/live-page.ts';
import { startServer } from './helpers/server.ts';
import { canSpeakToFirefox, openFirefox, playInRoom } from './helpers/speaking-firefox.ts';
import { TWO_SENTENCES, writeTwoSentences } from './helpers/two-sentences.ts';
import type { LiveBench } from './live/page.ts';

const MAX_ERRORS = 0.3;

type Window = { readonly bench: LiveBench };

let endSound: (() => void) | null = null;

beforeAll(async () => {
  if (!canSpeakToFirefox) return;
  await buildLivePage();
  endSound = await startSoundServer();
});

afterAll(() => endSound?.());

describe.skipIf(!canSpeakToFirefox)('Firefox (left out without one, or without PulseAudio)', () => {
  test('live: words are seen before their pause and go in at each pause, once', async () => {
    const server = await startServer(undefined, { WEB_ROOT: LIVE_PAGE_FOLDER });
    onTestFinished(server.stop);
    const { page, errors } = await openFirefox();
    await page.goto(server.url);
    await page.evaluate(() =>
      (globalThis as unknown as Window).bench.start({ live: true, insert: 'at-pause' }),
    );
    await playInRoom(writeTwoSentences());
    await page.waitForFunction(() => (globalThis as unknown as Window).bench.pieces().length > 0);
    const result = await page.evaluate(() => (globalThis as unknown as Window).bench.stop());
    const { seen, pieces } = await page.evaluate(() => {
      const { bench } = globalThis as unknown as Window;
      return { seen: bench.seen(), pieces: bench.pieces() };
    });
    expect(seen.some(({ finalText, tentative }) => finalText === '' && tentative !== '')).toBe(
      true,
    );
    const text = [...pieces, result.text].join(' ');
    expect(wordErrorRate(TWO_SENTENCES, text), text).toBeLessThanOrEqual(MAX_ERRORS);
    await expect
      .poll(() => page.evaluate(() => (globalThis as unknown as Window).bench.waiting()))
      .toBe(0);
    expect(errors).toEqual([]);
  });
});
