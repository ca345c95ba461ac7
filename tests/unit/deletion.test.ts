import { describe, expect, test } from 'vitest';
import { type MadeBrowser, type MadePage, openMadeBrowser } from '../helpers/made-browser.ts';
import { NOBODY } from '../simulator/owners.ts';

const HOUR_MS = 3_600_000;

const ADA = { account: 'ada', address: NOBODY.address };

/** Speaks for so long, and ends it; the answer is what the stop is fulfilled with. */
async function dictate(browser: MadeBrowser, page: MadePage, ms = 2_000) {
  expect(await browser.settle(page.start())).toEqual({ ok: true });
  browser.speak(true);
  await browser.pass(ms);
  browser.speak(false);
  await browser.pass(800);
  return browser.settle(page.dictation.stop());
}

const waiting = (page: MadePage) => page.dictation.getSnapshot().queue.items;
const listed = (page: MadePage) => page.dictation.getSnapshot().recordings.list;
const kinds = (page: MadePage) => listed(page).map(({ state }) => state.kind);

/** Nothing is asked for, given or shown from now on, and a minute later nothing is stored. */
async function expectGone(browser: MadeBrowser, pages: readonly MadePage[]): Promise<void> {
  await browser.pass(500);
  const asked = browser.asked.length;
  browser.faults.server = null;
  await browser.pass(90_000);
  expect(browser.asked.length, 'nothing is sent').toBe(asked);
  for (const page of pages) {
    expect(page.field).toEqual([]);
    expect(waiting(page)).toEqual([]);
    expect(listed(page)).toEqual([]);
  }
  expect(browser.stored()).toEqual([]);
}

const EVERYTHING = [
  ['all recordings', (page: MadePage) => page.dictation.recordings.deleteAll()],
  ['everything', (page: MadePage) => page.dictation.wipe()],
] as const;

describe.each(EVERYTHING)('deleting %s', (_what, deleteAll) => {
  test('takes what waits for its place in this very page, and its words never come', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    browser.faults.server = 'unauthorised';
    await dictate(browser, page);
    await browser.settle(deleteAll(page));
    await expectGone(browser, [page]);
  });

  test('takes what the next recording has left on its way', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    browser.faults.server = 'down';
    expect(await browser.settle(page.start())).toEqual({ ok: true });
    browser.speak(true);
    await browser.pass(2_000);
    browser.speak(false);
    void page.dictation.stop();
    expect(await browser.settle(page.start())).toEqual({ ok: true });
    await browser.settle(deleteAll(page));
    const asked = browser.asked.length;
    browser.faults.server = null;
    await browser.settle(page.dictation.stop());
    await browser.pass(60_000);
    expect(browser.asked.length).toBe(asked);
    expect(page.field).toEqual([]);
    expect(listed(page).map(({ id }) => id)).toEqual(['s1']);
    expect(browser.stored().filter((key) => key.includes('s0'))).toEqual([]);
  });

  test('spares what another tab begins after it, while the worker asked does not answer', async () => {
    const browser = openMadeBrowser();
    const [page, other] = [browser.openPage(), browser.openPage()];
    await browser.settle(page.start());
    await browser.pass(1_000);
    // Not as long as makes the page start another one.
    page.hangWorker(4_500);
    const deleting = deleteAll(page);
    await browser.pass(100);
    // The page has changed the text on its way in: its sound is to be looked at.
    await browser.settle(other.start({ deliver: () => 'altered' }));
    browser.speak(true);
    await browser.pass(1_000);
    browser.speak(false);
    await browser.pass(800);
    await browser.settle(other.dictation.stop());
    const [{ id } = { id: '' }] = listed(other);
    expect(waiting(other)).toHaveLength(1);
    await browser.settle(deleting);
    await browser.pass(60_000);
    expect(waiting(other)).toHaveLength(1);
    expect(listed(other).map((recording) => recording.id)).toContain(id);
  });

  test('takes what is still being encoded when the recording has just ended', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    browser.faults.encodingMs = 4_000;
    await dictate(browser, page);
    page.field.length = 0;
    const asked = browser.asked.length;
    await browser.settle(deleteAll(page));
    await browser.pass(500);
    expect(kinds(page).filter((kind) => kind !== 'in-bin')).toEqual([]);
    expect(browser.asked.length).toBe(asked);
    await expectGone(browser, [page]);
  });

  test('takes what another tab is still encoding', async () => {
    const browser = openMadeBrowser();
    const [page, other] = [browser.openPage(), browser.openPage()];
    await browser.pass(2_000);
    browser.faults.encodingMs = 4_000;
    await dictate(browser, page);
    page.field.length = 0;
    await browser.settle(deleteAll(other));
    await expectGone(browser, [page, other]);
  });

  test.each([
    ['in another account', ADA, { ...ADA, account: 'bo' }],
    ['at another address', ADA, { ...ADA, address: 'https://other.example/api/asr/vad' }],
    ['who is signed in elsewhere', { ...ADA, account: null }, ADA],
  ])(
    'spares what somebody %s has just ended, or is being brought into the queue',
    async (_what, own, other) => {
      const browser = openMadeBrowser();
      const [page, theirs] = [browser.openPage(own), browser.openPage(other)];
      await browser.pass(2_000);
      browser.faults.encodingMs = 4_000;
      await dictate(browser, theirs);
      await browser.settle(deleteAll(page));
      await browser.pass(60_000);
      expect(theirs.field).toEqual(theirs.spoken);
      expect(kinds(theirs)).toEqual(['delivered']);
      browser.faults.encodingMs = 0;
      browser.faults.server = 'unauthorised';
      await dictate(browser, theirs);
      theirs.close();
      const next = browser.openPage(other);
      browser.faults.encodingMs = 8_000;
      await browser.pass(12_000);
      await browser.settle(deleteAll(page));
      browser.faults.server = null;
      await browser.pass(60_000);
      expect(kinds(next)).toEqual(['waiting', 'delivered']);
    },
  );

  test.each([100, 2_000, 7_500, 10_500])(
    'takes what a tab closed %i ms before has left',
    async (ms) => {
      const browser = openMadeBrowser(ms);
      const [page, other] = [browser.openPage(), browser.openPage()];
      expect(await browser.settle(page.start())).toEqual({ ok: true });
      browser.speak(true);
      await browser.pass(4_000);
      browser.speak(false);
      page.close();
      browser.faults.server = 'down';
      await browser.pass(ms);
      await browser.settle(deleteAll(other));
      await expectGone(browser, [other]);
    },
  );

  test.each([6, 7, 9])(
    'asked twice by a page just opened that hangs, takes what a closed one has left (%i)',
    async (seed) => {
      const browser = openMadeBrowser(seed);
      const page = browser.openPage();
      expect(await browser.settle(page.start())).toEqual({ ok: true });
      browser.speak(true);
      await browser.pass(1_500);
      page.killWorker();
      await browser.pass(130);
      void page.dictation.stop();
      await browser.pass(1_500);
      browser.speak(false);
      page.close();
      await browser.pass(600);
      const next = browser.openPage();
      await browser.pass(100);
      const first = deleteAll(next);
      await browser.pass(50);
      next.hangWorker(8_300);
      await browser.pass(7_900);
      await browser.settle(Promise.all([first, deleteAll(next)]));
      await expectGone(browser, [next]);
    },
  );

  test('spares what is said and ended while storage takes its time over it', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    await browser.pass(3_000);
    browser.faults.store = (stores, mode) =>
      stores.length > 0 && mode === 'readonly' ? 'hung' : null;
    const deleted = deleteAll(page);
    await browser.pass(100);
    browser.faults.store = null;
    browser.faults.server = 'rejects';
    await dictate(browser, page);
    await browser.settle(deleted);
    await browser.pass(60_000);
    expect(waiting(page).map(({ id }) => id)).toContain('s0:0');
    expect(kinds(page)).toEqual(['waiting']);
  });

  test('spares what is being recorded', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    expect(await browser.settle(page.start())).toEqual({ ok: true });
    browser.speak(true);
    await browser.pass(2_000);
    await browser.settle(deleteAll(page));
    await browser.pass(1_000);
    browser.speak(false);
    await browser.pass(800);
    await browser.settle(page.dictation.stop());
    expect(page.field).toEqual(page.spoken);
  });

  test('says so where storage refuses, and does it when asked again', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    browser.faults.server = 'down';
    await dictate(browser, page);
    browser.faults.store = () => 'aborted';
    await expect(browser.settle(deleteAll(page))).rejects.toThrow();
    browser.faults.store = null;
    await browser.settle(deleteAll(page));
    await expectGone(browser, [page]);
  });
});

describe('deleting one of the list', () => {
  async function discardAll(browser: MadeBrowser, page: MadePage) {
    for (const { id } of waiting(page)) page.dictation.discard(id);
    await browser.pass(1_000);
  }

  test('of which a part was delivered: all of its audio goes, and can be had back', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    expect(await browser.settle(page.start({ chunkMs: 2_000 }))).toEqual({ ok: true });
    browser.speak(true);
    await browser.pass(3_500);
    browser.faults.server = 'unauthorised';
    await browser.pass(2_000);
    page.close();
    browser.speak(false);
    const next = browser.openPage();
    await browser.pass(20_000);
    let given = '';
    const insert = async (text: string) => {
      given = text;
      return true;
    };
    await browser.settle(next.dictation.takeText('s0', insert));
    await browser.pass(1_000);
    expect(given).not.toBe('');
    expect(waiting(next).length).toBeGreaterThan(0);
    await discardAll(browser, next);
    expect(kinds(next)).toEqual(['in-bin']);
    await expectGone(browser, [next]);
  });

  test('takes what waits, also from a worker that has not read yet what does', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    browser.faults.server = 'rejects';
    await dictate(browser, page);
    await browser.pass(3_000);
    expect(waiting(page).length).toBeGreaterThan(0);
    page.killWorker();
    browser.faults.store = (stores) => (stores.includes('chunks') ? 'slow' : null);
    await browser.pass(50);
    await browser.settle(page.dictation.recordings.delete('s0'));
    await browser.pass(1_000);
    expect(waiting(page)).toEqual([]);
    expect(kinds(page)).toEqual(['in-bin']);
    await expectGone(browser, [page]);
  });

  test('says so where it cannot be seen what waits, and takes it when asked again', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    browser.faults.server = 'rejects';
    await dictate(browser, page);
    await browser.pass(3_000);
    page.killWorker();
    browser.faults.store = (stores) => (stores.join() === 'chunks' ? 'aborted' : null);
    const { recordings } = page.dictation;
    for (const work of [() => recordings.delete('s0'), recordings.deleteAll]) {
      await expect(browser.settle(work())).rejects.toThrow();
    }
    browser.faults.store = null;
    await browser.settle(recordings.delete('s0'));
    await expectGone(browser, [page]);
  });

  test('whose text was doubted: its audio goes, too', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    browser.faults.server = 'incomplete';
    await dictate(browser, page, 4_000);
    await browser.pass(1_000);
    expect(waiting(page).map(({ state }) => state.kind)).toEqual(['delivered']);
    await discardAll(browser, page);
    expect(kinds(page)).toEqual(['in-bin']);
    page.field.length = 0;
    await expectGone(browser, [page]);
  });

  test('ends the request that another tab has under way', async () => {
    const browser = openMadeBrowser();
    const [page, other] = [browser.openPage(), browser.openPage()];
    await browser.pass(2_000);
    browser.faults.server = 'breaks';
    await dictate(browser, page);
    await browser.pass(25_000);
    const id = waiting(page)[0]?.id ?? '';
    page.dictation.retry(id);
    await browser.pass(100);
    const [first] = listed(page);
    await browser.settle(page.dictation.recordings.delete(first?.id ?? ''));
    await expectGone(browser, [page, other]);
  });

  test('ends the tries of a tab that stood still, which has not heard of it', async () => {
    const browser = openMadeBrowser(8);
    const [sender, page] = [browser.openPage(), browser.openPage()];
    await browser.pass(2_000);
    browser.faults.server = 'portal';
    expect(await browser.settle(page.start())).toEqual({ ok: true });
    browser.speak(true);
    await browser.pass(2_000);
    browser.speak(false);
    const stop = page.dictation.stop();
    await browser.pass(800);
    page.dictation.stopWaiting();
    await browser.settle(stop);
    sender.hangWorker(4_000);
    await browser.pass(1_000);
    const [first] = listed(page);
    await browser.settle(page.dictation.recordings.delete(first?.id ?? ''));
    await expectGone(browser, [sender, page]);
  });
});

describe('the bin', () => {
  test('gives back on the page that deleted it, and on no other', async () => {
    const browser = openMadeBrowser();
    const [page, other] = [browser.openPage(), browser.openPage()];
    await dictate(browser, page);
    await browser.settle(page.dictation.recordings.deleteAll());
    await browser.pass(1_000);
    expect(kinds(page)).toEqual(['in-bin']);
    expect(kinds(other)).toEqual([]);
    const third = browser.openPage();
    await browser.pass(5_000);
    expect(kinds(third)).toEqual([]);
    await browser.settle(page.dictation.recordings.undoDelete(null));
    await browser.pass(1_000);
    for (const each of [page, other, third]) expect(kinds(each)).toEqual(['delivered']);
  });

  test('gives back what is just being deleted', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    await dictate(browser, page);
    await browser.settle(page.dictation.recordings.deleteAll());
    void page.dictation.recordings.deleteAll();
    await browser.settle(page.dictation.recordings.undoDelete(null));
    await browser.pass(1_000);
    expect(kinds(page)).toEqual(['delivered']);
  });

  test.each([0, 45_000])('does not outlive its page, opened again %i ms later', async (ms) => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    await dictate(browser, page);
    await browser.settle(page.dictation.recordings.deleteAll());
    await browser.pass(3_000);
    page.close();
    await browser.pass(ms);
    const next = browser.openPage();
    await browser.pass(6_000);
    expect(kinds(next)).toEqual([]);
    expect(browser.stored()).toEqual([]);
  });

  test('takes along what is being written down again, and asks for it when it is had back', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    await dictate(browser, page);
    browser.faults.server = 'late';
    const [first] = listed(page);
    await browser.settle(page.dictation.recordings.transcribeAgain(first?.id ?? ''));
    await browser.settle(page.dictation.recordings.delete(first?.id ?? ''));
    await browser.pass(500);
    expect(browser.stored().filter((key) => key.startsWith('chunks ["again:'))).toEqual([]);
    browser.faults.server = null;
    await browser.settle(page.dictation.recordings.undoDelete(null));
    await browser.pass(5_000);
    expect(listed(page)[0]?.transcripts).toBe(2);
  });
});

describe('another person’s page', () => {
  const BO = { ...ADA, account: 'bo' };

  test('leaves what lies in a bin to the page that can give it back', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage(ADA);
    await dictate(browser, page);
    await browser.pass(1_000);
    await browser.settle(page.dictation.recordings.deleteAll());
    browser.openPage(BO);
    await browser.pass(5_000);
    await browser.settle(page.dictation.recordings.undoDelete(null));
    await browser.pass(1_000);
    expect(kinds(page)).toEqual(['delivered']);
    await browser.settle(page.dictation.recordings.deleteAll());
    page.close();
    browser.openPage(BO);
    await browser.pass(5_000);
    expect(browser.stored()).toEqual([]);
  });

  test('lets recordings go when their own time is over, not when its own would be', async () => {
    const browser = openMadeBrowser();
    const page = browser.openPage(ADA);
    await dictate(browser, page);
    await browser.pass(3_000);
    page.close();
    const theirs = browser.openPage(BO);
    await browser.pass(2_000);
    theirs.dictation.recordings.keep({ keepRecordings: 0 });
    await browser.pass(23 * HOUR_MS);
    const again = browser.openPage(ADA);
    await browser.pass(3_000);
    expect(kinds(again)).toEqual(['delivered']);
    again.close();
    await browser.pass(2 * HOUR_MS);
    expect(browser.stored()).toEqual([]);
  });
});
