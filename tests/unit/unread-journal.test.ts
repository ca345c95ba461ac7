import { expect, test } from 'vitest';
import { openMadeBrowser } from '../helpers/made-browser.ts';

/** Fails reads of the journal, and no writes. */
const journalUnread = (stores: readonly string[], mode: string) =>
  stores.join() === 'dictations,audio' && mode === 'readonly' ? ('aborted' as const) : null;

test.each([300, 2_000, 9_000, 40_000])(
  'a worker dies and the journal cannot be read for %i ms: each word comes once',
  async (ms) => {
    const browser = openMadeBrowser(ms);
    const page = browser.openPage();
    expect(await browser.settle(page.start({ chunkMs: 1_500 }))).toEqual({ ok: true });
    browser.speak(true);
    await browser.pass(5_000);
    browser.faults.store = journalUnread;
    page.killWorker();
    await browser.pass(ms);
    browser.faults.store = null;
    await browser.pass(2_000);
    browser.speak(false);
    await browser.pass(1_000);
    await browser.settle(page.dictation.stop());
    await browser.pass(60_000);
    const offered: string[] = [];
    for (const { dictationId } of page.dictation.getSnapshot().queue.items) {
      await browser.settle(
        page.dictation.takeText(dictationId, async (text) => {
          offered.push(...text.split(/\s+/));
          return true;
        }),
      );
    }
    const came = [...page.field, ...offered];
    expect(
      page.spoken.filter((word) => !came.includes(word)),
      'none is lost',
    ).toEqual([]);
    expect(
      came.filter((word, at) => came.indexOf(word) !== at),
      'none comes twice',
    ).toEqual([]);
  },
);
