import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDeferred } from '../../src/core/async.ts';
import type { DeliveryVerdict, StartOptions } from '../../src/core/contracts/dictation.ts';
import { samplesInPlaces } from '../../src/core/session/snapshot.ts';
import { lateItems } from '../../src/core/session/text-state.ts';
import {
  type Faults,
  type MadeBrowser,
  type MadePage,
  openMadeBrowser,
} from '../helpers/made-browser.ts';
import { wordsIn } from '../simulator/words.ts';

// A page's dictation, as whoever calls it sees it: the real page, worker and store in a made browser.

// Minutes of a made browser, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const pages: MadePage[] = [];

function openBrowser(): MadeBrowser {
  const browser = openMadeBrowser();
  const { openPage } = browser;
  return {
    ...browser,
    openPage() {
      const page = openPage();
      pages.push(page);
      return page;
    },
  };
}

afterEach(() => {
  for (const page of pages.splice(0)) {
    const { ledger } = page.dictation.getSnapshot();
    expect(samplesInPlaces(ledger), 'each sample is in one place').toBe(ledger.capturedSamples);
    expect(ledger.lostSamples).toBe(0);
  }
});

/** Records, speaks for so long (0: not at all) and is quiet; the stop is the caller's. */
async function record(browser: MadeBrowser, page: MadePage, ms = 2_000, options?: StartOptions) {
  expect(await browser.settle(page.start(options))).toEqual({ ok: true });
  browser.speak(ms > 0);
  await browser.pass(ms);
  browser.speak(false);
  await browser.pass(800);
}

async function dictate(browser: MadeBrowser, page: MadePage, ms = 2_000, options?: StartOptions) {
  await record(browser, page, ms, options);
  return browser.settle(page.dictation.stop());
}

const session = (page: MadePage) => page.dictation.getSnapshot().session;
const notices = (page: MadePage) => page.dictation.getSnapshot().notices.map(({ kind }) => kind);
const kept = (page: MadePage) => page.dictation.getSnapshot().kept;
const waiting = (page: MadePage) => page.dictation.getSnapshot().queue.items;
const kinds = (page: MadePage) => waiting(page).map(({ state }) => state.kind);

/** Takes the text of a waiting dictation, as the list does; gives its words. */
async function take(browser: MadeBrowser, page: MadePage, id: string): Promise<string[]> {
  const words: string[] = [];
  await browser.settle(
    page.dictation.takeText(id, async (text) => {
      words.push(...wordsIn(text));
      return true;
    }),
  );
  return words;
}

/** An insertion that ends when the test says so. */
function insertionLater() {
  const given: string[] = [];
  const answer = createDeferred<DeliveryVerdict>();
  const deliver: NonNullable<StartOptions['deliver']> = ({ text }) => {
    given.push(text);
    return answer.promise;
  };
  return { deliver, given, answer };
}

/** The browser's time until the condition holds, in steps of 50 ms, at most `mostMs`. */
async function msUntil(browser: MadeBrowser, holds: () => boolean, mostMs = 60_000) {
  let ms = 0;
  for (; !holds() && ms < mostMs; ms += 50) await browser.pass(50);
  return ms;
}

describe('a recording', () => {
  test('goes from phase to phase, each told, and tells its time without its pauses', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    const phases: string[] = [];
    page.dictation.subscribe(() => {
      const { phase } = session(page);
      if (phases.at(-1) !== phase) phases.push(phase);
    });
    await record(browser, page, 2_000);
    page.dictation.pause();
    browser.speak(true);
    await browser.pass(3_000);
    browser.speak(false);
    expect(session(page)).toMatchObject({ isPaused: true, isRecording: true, isSpeaking: false });
    page.dictation.resume();
    await browser.pass(500);
    expect(session(page).accumulatedRecordingMs).toBeGreaterThan(2_900);
    expect(session(page).accumulatedRecordingMs).toBeLessThan(3_700);
    expect(session(page).speechMs).toBeLessThan(session(page).accumulatedRecordingMs);
    const result = await browser.settle(page.dictation.stop());
    await browser.pass(1_000);
    expect(wordsIn(result?.text ?? '')).toEqual(page.spoken);
    expect(page.field).toEqual(page.spoken);
    const order = ['starting', 'recording', 'paused', 'recording', 'finishing', 'transcribing'];
    expect(phases.filter((phase) => order.includes(phase))).toEqual(order);
    expect(phases.at(-1)).toBe('idle');
  });

  test('changes the snapshot at most 21 times a second while somebody speaks', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    await record(browser, page, 500);
    browser.speak(true);
    let changes = 0;
    page.dictation.subscribe(() => {
      changes += 1;
    });
    await browser.pass(4_000);
    expect(changes).toBeGreaterThan(3);
    expect(changes).toBeLessThanOrEqual(84);
  });

  test('is one at a time: another start is refused, and said', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    await record(browser, page, 0);
    expect(await browser.settle(page.start())).toEqual({ ok: false, reason: 'already-recording' });
    expect(notices(page)).toEqual(['already-recording']);
    expect(session(page).phase).toBe('recording');
  });

  test('is cut into chunks, asked for one after the other, in the order of speech', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    const result = await dictate(browser, page, 7_000, { chunkMs: 1_500 });
    expect(result?.text.split('\n').length).toBeGreaterThan(3);
    expect(browser.asked).toEqual(page.spoken);
    expect(page.field).toEqual(page.spoken);
  });

  test('is not held up by what waits from earlier, nor are they by it', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    browser.faults.server = 'down';
    for (let earlier = 0; earlier < 3; earlier += 1) {
      await record(browser, page, 1_000);
      void page.dictation.stop();
      await browser.pass(300);
      page.dictation.stopWaiting();
      await browser.pass(300);
    }
    await record(browser, page, 1_000);
    const stopped = page.dictation.stop();
    browser.faults.server = null;
    expect(await msUntil(browser, () => page.field.includes('3.1'))).toBeLessThan(5_000);
    await browser.settle(stopped);
    await browser.pass(60_000);
    expect(page.field.toSorted()).toEqual(page.spoken.toSorted());
    expect(waiting(page)).toEqual([]);
  });

  test('ends by itself at its longest, with its text', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    await browser.settle(page.start({ maxAudioDurationMs: 3_000 }));
    browser.speak(true);
    await browser.pass(3_500);
    expect(notices(page)).toEqual(['max-duration-reached']);
    browser.speak(false);
    await browser.pass(8_000);
    expect(session(page).phase).toBe('idle');
    expect(page.field).toEqual(page.spoken);
  });

  test('without a word gives no text, asks nobody and leaves nothing', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    expect(await dictate(browser, page, 0)).toMatchObject({ text: '', failedChunks: 0 });
    expect(browser.asked).toEqual([]);
    await browser.pass(2_000);
    expect(browser.stored().filter((key) => key.startsWith('chunks'))).toEqual([]);
  });

  test('of a page that is disposed of is refused, and said', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    page.dictation.dispose();
    expect(await browser.settle(page.start())).toEqual({ ok: false, reason: 'disposed' });
    expect(notices(page)).toEqual(['disposed']);
  });
});

describe('the wait for the end of speech', () => {
  test.each<[string, number, number]>([
    ['is none where nobody speaks', 0, 400],
    ['ends with the speech', 1_000, 2_300],
    ['is 5 s at most', 60_000, 5_600],
  ])('%s', async (_what, speaksOnMs, atMostMs) => {
    const browser = openBrowser();
    const page = browser.openPage();
    await browser.settle(page.start());
    browser.speak(speaksOnMs > 0);
    await browser.pass(1_500);
    void page.dictation.stop();
    const before = await msUntil(browser, () => session(page).phase !== 'finishing', 100);
    let waited = before;
    while (waited < speaksOnMs && session(page).isRecording) {
      await browser.pass(100);
      waited += 100;
    }
    browser.speak(false);
    waited += await msUntil(browser, () => !session(page).isRecording);
    expect(waited).toBeGreaterThanOrEqual(Math.min(speaksOnMs, 5_000) - 200);
    expect(waited).toBeLessThanOrEqual(atMostMs);
    await browser.pass(3_000);
    expect(page.field).toEqual(page.spoken.slice(0, page.field.length));
    expect(page.field.length).toBeGreaterThanOrEqual(speaksOnMs > 0 ? 15 : 0);
  });
});

describe('a stop', () => {
  /** Faults that may delay the text, from the stop on. */
  const TROUBLES: Record<string, Partial<Faults>> = {
    'a network that swallows requests': { server: 'swallows' },
    'a server that is down': { server: 'down' },
    'a server that breaks': { server: 'breaks' },
    'a sign-in that is over': { server: 'unauthorised' },
    'storage that hangs': { store: () => 'hung' },
    'files that take long': { encodingMs: 30_000 },
  };

  test.each(Object.entries(TROUBLES))(
    'is answered within 20 s of %s, and the text comes in its place when that is over',
    async (_what, trouble) => {
      const browser = openBrowser();
      const page = browser.openPage();
      await record(browser, page, 3_000);
      Object.assign(browser.faults, trouble);
      let result: { failedChunks: number } | null | undefined;
      void page.dictation.stop().then((given) => {
        result = given;
      });
      expect(await msUntil(browser, () => result !== undefined)).toBeLessThanOrEqual(20_100);
      Object.assign(browser.faults, { server: null, store: null, encodingMs: 0 });
      if (kinds(page).length > 0) page.dictation.retry(null);
      await browser.pass(180_000);
      expect(page.field).toEqual(page.spoken);
      expect(waiting(page)).toEqual([]);
    },
  );

  test('waits no longer when the person does not: the same request brings the text', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    await record(browser, page);
    browser.faults.server = 'late';
    let result: unknown;
    void page.dictation.stop().then((given) => {
      result = given;
    });
    await browser.pass(800);
    page.dictation.stopWaiting();
    await browser.pass(300);
    expect(result).toMatchObject({ text: '', failedChunks: 1 });
    await browser.pass(30_000);
    expect(page.field).toEqual(page.spoken);
    expect(browser.asked).toEqual(page.spoken);
  });

  test('that waits for all is answered when the text is in its place, however late', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    await record(browser, page, 3_000);
    browser.faults.server = 'down';
    let result: { text: string; failedChunks: number } | null | undefined;
    void page.dictation.stop({ wait: 'all' }).then((given) => {
      result = given;
    });
    await browser.pass(60_000);
    expect([result, page.field]).toEqual([undefined, []]);
    browser.faults.server = null;
    page.dictation.retry(null);
    await browser.pass(60_000);
    expect(page.field).toEqual(page.spoken);
    expect(wordsIn(result?.text ?? '')).toEqual(page.spoken);
    expect(result?.failedChunks).toBe(0);
  });

  test('that waits for all is answered when its text was thrown away, and at once where all is there', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    await record(browser, page, 2_000);
    expect(await browser.settle(page.dictation.stop({ wait: 'all' }))).toMatchObject({
      failedChunks: 0,
    });
    await record(browser, page, 2_000);
    browser.faults.server = 'down';
    let result: unknown;
    void page.dictation.stop({ wait: 'all' }).then((given) => {
      result = given;
    });
    await browser.pass(30_000);
    for (const { id } of waiting(page)) page.dictation.discard(id);
    await browser.pass(10_000);
    expect(result).toMatchObject({ text: '' });
  });

  test('of one whose microphone still opens ends it, and leaves nothing open', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    const started = page.start();
    await browser.pass(5);
    expect(session(page).phase).toBe('starting');
    browser.speak(true);
    const stopped = page.dictation.stop();
    expect(await browser.settle(started)).toEqual({ ok: true });
    expect(await browser.settle(stopped)).not.toBeUndefined();
    browser.speak(false);
    expect(session(page).isRecording).toBe(false);
    await browser.pass(30_000);
    expect([session(page).phase, notices(page), waiting(page)]).toEqual(['idle', [], []]);
    // The next one is as ever.
    await dictate(browser, page);
    await browser.pass(1_000);
    expect(page.field.join(' ')).toBe(page.spoken.join(' '));
  });

  test('of nothing is null, and twice is once', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    expect(await browser.settle(page.dictation.stop())).toBeNull();
    await record(browser, page);
    await browser.settle(Promise.all([page.dictation.stop(), page.dictation.stop()]));
    await browser.pass(1_000);
    expect(page.field).toEqual(page.spoken);
  });
});

describe('a recording that is cancelled', () => {
  const cancelled = (page: MadePage) => page.dictation.getSnapshot().cancelled;

  async function cancel(fault: Faults['server'] = null) {
    const browser = openBrowser();
    const page = browser.openPage();
    await record(browser, page);
    browser.faults.server = fault;
    page.dictation.cancel();
    expect([session(page).isRecording, session(page).phase]).toEqual([false, 'idle']);
    expect(cancelled(page)).toBe('s0');
    return { browser, page };
  }

  test.each(['down', 'rejects', null] as const)(
    'is in no list, goes nowhere, and is thrown away after 10 s (server: %s)',
    async (fault) => {
      const { browser, page } = await cancel(fault);
      await browser.pass(9_900);
      expect([page.field, lateItems(page.dictation.getSnapshot())]).toEqual([[], []]);
      await browser.pass(500);
      expect(cancelled(page)).toBeNull();
      browser.faults.server = null;
      await browser.pass(120_000);
      expect([page.field, waiting(page)]).toEqual([[], []]);
      expect(browser.stored()).toEqual([]);
    },
  );

  test.each([null, 'down', 'late'] as const)(
    'is had back within that time: its text goes to its place, once (server: %s)',
    async (fault) => {
      const { browser, page } = await cancel(fault);
      await browser.pass(9_000);
      page.dictation.undoCancel();
      page.dictation.undoCancel();
      browser.faults.server = null;
      await browser.pass(120_000);
      expect(page.field).toEqual(page.spoken);
      expect([cancelled(page), waiting(page)]).toEqual([null, []]);
    },
  );

  test.each(['close', 'leave'] as const)(
    'is thrown away whatever its page does (%s): the next one has it in its bin, and nowhere else',
    async (goes) => {
      const { browser, page } = await cancel();
      await browser.pass(2_000);
      const left = page[goes]();
      if (left) await browser.settle(left);
      const next = browser.openPage();
      await browser.pass(15_000);
      expect([page.field, lateItems(next.dictation.getSnapshot())]).toEqual([[], []]);
      expect([waiting(next), kept(next)]).toEqual([[], []]);
    },
  );

  test('and had back, its page may go: the next one has its text', async () => {
    const { browser, page } = await cancel('late');
    await browser.pass(1_000);
    page.dictation.undoCancel();
    await browser.pass(500);
    page.close();
    browser.faults.server = null;
    const next = browser.openPage();
    await browser.pass(60_000);
    expect(page.field).toEqual([]);
    expect(await take(browser, next, 's0')).toEqual(page.spoken);
  });

  test('is stopped by nothing: a stop has no text of it, undone or not', async () => {
    const { browser, page } = await cancel();
    expect(await browser.settle(page.dictation.stop())).toBeNull();
    page.dictation.undoCancel();
    expect(await browser.settle(page.dictation.stop())).toBeNull();
    await browser.pass(30_000);
    expect(page.field).toEqual(page.spoken);
  });

  test('leaves the way free for the next at once; cancelled too, that is the one to be had back', async () => {
    const { browser, page } = await cancel();
    const texts: string[] = [];
    const deliver: StartOptions['deliver'] = async ({ text }) => {
      texts.push(text);
      return true;
    };
    await record(browser, page, 1_000, { deliver });
    expect(cancelled(page)).toBeNull();
    page.dictation.cancel();
    expect(cancelled(page)).toBe('s1');
    page.dictation.undoCancel();
    await browser.pass(30_000);
    expect(texts.flatMap(wordsIn)).toEqual(page.spoken.filter((word) => word.startsWith('1.')));
    expect(page.field).toEqual([]);
  });

  test.each(['down', null] as const)(
    'goes to the bin when the next recording has begun, whose end tells nothing of it (server: %s)',
    async (fault) => {
      const { browser, page } = await cancel(fault);
      await record(browser, page);
      expect(cancelled(page)).toBeNull();
      expect(lateItems(page.dictation.getSnapshot())).toEqual([]);
      browser.faults.server = null;
      await browser.settle(page.dictation.stop());
      await browser.pass(200);
      expect([cancelled(page), session(page).phase]).toEqual([null, 'idle']);
      expect(lateItems(page.dictation.getSnapshot())).toEqual([]);
      page.dictation.undoCancel();
      await browser.pass(30_000);
      expect(page.field).toEqual(page.spoken.filter((word) => word.startsWith('1.')));
      expect(waiting(page)).toEqual([]);
    },
  );

  test('can be had back still where the next recording has not begun', async () => {
    const { browser, page } = await cancel();
    browser.faults.microphone = 'refused';
    const { ok } = await browser.settle(page.dictation.start());
    expect([ok, cancelled(page)]).toEqual([false, 's0']);
    page.dictation.undoCancel();
    await browser.pass(30_000);
    expect(page.field).toEqual(page.spoken);
  });

  test('is none where nothing is recorded, or it is ended already', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    page.dictation.cancel();
    await record(browser, page);
    const stopped = page.dictation.stop();
    await browser.pass(10);
    page.dictation.cancel();
    await browser.settle(stopped);
    await browser.pass(1_000);
    expect(page.field).toEqual(page.spoken);
    expect(cancelled(page)).toBeNull();
  });
});

describe('a start while the last recording is being ended', () => {
  test.each([
    ['somebody still speaks', null],
    ['the server is late', 'late'],
    ['the server is down', 'down'],
  ] as const)(
    'goes first where %s; each text comes to its own place, in order',
    async (_what, fault) => {
      const browser = openBrowser();
      const page = browser.openPage();
      const places: string[][] = [[], [], []];
      const into = (place: number): StartOptions => ({
        deliver: async ({ text }) => {
          places[place]?.push(...wordsIn(text));
          return true;
        },
      });
      await record(browser, page, 1_500, into(0));
      browser.faults.server = fault;
      browser.speak(fault === null);
      for (const place of [1, 2]) {
        void page.dictation.stop();
        const started = page.start(into(place));
        expect(await msUntil(browser, () => session(page).id === `s${place}`)).toBeLessThan(2_000);
        browser.speak(true);
        await browser.pass(1_500);
        browser.speak(false);
        await browser.pass(800);
        expect(await browser.settle(started)).toEqual({ ok: true });
      }
      browser.faults.server = null;
      await browser.settle(page.dictation.stop());
      await browser.pass(120_000);
      for (const [place, words] of places.entries()) {
        expect(words).toEqual(page.spoken.filter((word) => word.startsWith(`${place}.`)));
      }
    },
  );

  test('and a text that is not said to be in holds nothing up; it is asked for no second time', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    let isIn = (_verdict: DeliveryVerdict): void => {};
    let given = 0;
    await record(browser, page, 1_500, {
      deliver: () => {
        given += 1;
        return new Promise((resolve) => {
          isIn = resolve;
        });
      },
    });
    void page.dictation.stop();
    await msUntil(browser, () => given > 0);
    await record(browser, page);
    expect(await take(browser, page, 's0'), 'it may still go in').toEqual([]);
    isIn(true);
    await browser.settle(page.dictation.stop());
    await browser.pass(60_000);
    expect(given).toBe(1);
    expect(waiting(page)).toEqual([]);
    expect(page.field).toEqual(page.spoken.filter((word) => word.startsWith('1.')));
  });
});

describe('a text that does not go into the page', () => {
  test.each<[string, NonNullable<StartOptions['deliver']>]>([
    ['is refused', async () => false],
    ['throws', () => Promise.reject(new Error('the field is gone'))],
    ['hangs for 30 s', () => new Promise(() => {})],
  ])('because it %s: it is offered, said, and taken once', async (_how, deliver) => {
    const browser = openBrowser();
    const page = browser.openPage();
    await dictate(browser, page, 2_000, { deliver });
    await browser.pass(1_000);
    expect(notices(page)).toEqual(['text-not-inserted']);
    expect(kinds(page)).toEqual(['answered']);
    expect(await take(browser, page, 's0')).toEqual(page.spoken);
    await browser.pass(1_000);
    expect(notices(page)).toEqual([]);
    expect(kinds(page)).toEqual([]);
    expect(await take(browser, page, 's0')).toEqual([]);
  });

  test('and goes in after all: it is not offered any more', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    let isIn = (_verdict: DeliveryVerdict): void => {};
    const withdrawals: AbortSignal[] = [];
    await dictate(browser, page, 2_000, {
      deliver: (_result, withdrawn) => {
        withdrawals.push(withdrawn);
        return new Promise((resolve) => {
          isIn = resolve;
        });
      },
    });
    expect(kinds(page)).toEqual(['answered']);
    isIn(true);
    await browser.pass(1_000);
    expect(kinds(page)).toEqual([]);
    expect(notices(page)).toEqual([]);
    expect(withdrawals).toHaveLength(1);
  });

  test('as it was given: its audio stays, to be looked at', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    await dictate(browser, page, 2_000, { deliver: async () => 'altered' as const });
    await browser.pass(1_000);
    expect(waiting(page)).toMatchObject([{ state: { kind: 'delivered', needsReview: 'altered' } }]);
    page.dictation.discard(waiting(page)[0]?.id ?? '');
    await browser.pass(1_000);
    expect(waiting(page)).toEqual([]);
  });

  test('of which nothing was heard: there is nothing to say', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    await dictate(browser, page, 0, { deliver: async () => false });
    await browser.pass(1_000);
    expect([notices(page), kinds(page)]).toEqual([[], []]);
  });
});

describe('an answer that cannot be all', () => {
  test.each([
    ['empty', 'empty', 0],
    ['incomplete', 'incomplete', 0.5],
  ] as const)(
    '%s: it is marked, its audio stays, and asked anew it is whole',
    async (fault, why, share) => {
      const browser = openBrowser();
      const page = browser.openPage();
      browser.faults.server = fault;
      expect(await dictate(browser, page, 3_000)).toMatchObject({ chunksToReview: 1 });
      expect(page.field).toHaveLength(Math.ceil(page.spoken.length * share));
      browser.faults.server = null;
      const asked = browser.asked.length;
      await browser.pass(120_000);
      expect(browser.asked.length, 'not by itself').toBe(asked);
      expect(waiting(page)).toMatchObject([{ state: { kind: 'delivered', needsReview: why } }]);
      page.dictation.retry(waiting(page)[0]?.id ?? '');
      await browser.pass(2_000);
      expect(await take(browser, page, 's0')).toEqual(page.spoken);
    },
  );

  test('of less than a second of speech, empty, is an answer', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    browser.faults.server = 'empty';
    expect(await dictate(browser, page, 600)).toMatchObject({ chunksToReview: 0 });
    await browser.pass(1_000);
    expect(waiting(page)).toEqual([]);
  });
});

describe('a server that will not have it', () => {
  test('for now nobody: nothing more is sent until somebody says so, then it goes to its place', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    browser.faults.server = 'unauthorised';
    await dictate(browser, page);
    expect(notices(page)).toEqual(['uploads-unauthorised']);
    const asked = browser.asked.length;
    await browser.pass(300_000);
    expect(browser.asked.length).toBe(asked);
    browser.faults.server = null;
    page.dictation.retry(null);
    await browser.pass(2_000);
    expect(page.field).toEqual(page.spoken);
    expect(notices(page)).toEqual([]);
  });

  test('this chunk: it is refused, said, and its audio is there until the person decides', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    browser.faults.server = 'rejects';
    await dictate(browser, page);
    expect(kinds(page)).toEqual(['refused']);
    expect(notices(page)).toContain('chunk-refused');
    expect(await browser.settle(page.dictation.audio('s0'))).not.toBeNull();
    browser.faults.server = null;
    const asked = browser.asked.length;
    await browser.pass(120_000);
    expect(browser.asked.length).toBe(asked);
    page.dictation.retry(waiting(page)[0]?.id ?? '');
    await browser.pass(2_000);
    expect(page.field).toEqual(page.spoken);
  });
});

describe('a worker', () => {
  test.each([
    ['while somebody speaks', 1_500, 'speaking'],
    ['while it is paused', 1_500, 'paused'],
    ['while the text is awaited', 1_500, 'stopped'],
  ] as const)(
    'that dies %s is replaced, and every word is there once',
    async (_when, ms, state) => {
      const browser = openBrowser();
      const page = browser.openPage();
      await browser.settle(page.start());
      browser.speak(true);
      await browser.pass(ms);
      if (state === 'paused') page.dictation.pause();
      if (state === 'stopped') browser.faults.server = 'late';
      const stopped = state === 'stopped' ? page.dictation.stop() : null;
      await browser.pass(300);
      const shown = new Set<boolean>();
      const end = page.dictation.subscribe(() => shown.add(session(page).isRecording));
      page.killWorker();
      await browser.pass(4_000);
      end();
      if (state !== 'stopped') expect([...shown], 'no moment without it').toEqual([true]);
      if (state === 'paused') {
        expect(session(page)).toMatchObject({ phase: 'paused', takeovers: 1 });
        page.dictation.resume();
      }
      browser.speak(true);
      await browser.pass(1_000);
      browser.speak(false);
      await browser.pass(1_000);
      browser.faults.server = null;
      await browser.settle(stopped ?? page.dictation.stop());
      await browser.pass(40_000);
      expect(page.field).toEqual(page.spoken);
      expect(notices(page)).toEqual([]);
    },
  );

  test('that hangs is noticed within 8 s, and replaced; one that is slow is not', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    await record(browser, page, 1_000);
    browser.speak(true);
    page.hangWorker(3_500);
    await browser.pass(9_000);
    expect(session(page).takeovers).toBe(0);
    page.hangWorker(60_000);
    expect(await msUntil(browser, () => session(page).takeovers > 0)).toBeLessThan(8_000);
    browser.speak(false);
    await browser.pass(2_000);
    await browser.settle(page.dictation.stop());
    await browser.pass(2_000);
    expect(page.field).toEqual(page.spoken);
  });

  test('that dies between the answer and the insertion: the text goes in once, and is not offered again', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    const { deliver, given, answer } = insertionLater();
    await record(browser, page, 2_000, { deliver });
    const stopped = page.dictation.stop();
    await msUntil(browser, () => given.length > 0);
    page.killWorker();
    await browser.pass(500);
    answer.resolve(true);
    await browser.settle(stopped);
    await browser.pass(60_000);
    expect(given.flatMap(wordsIn)).toEqual(page.spoken);
    expect(waiting(page)).toEqual([]);
    page.close();
    const next = browser.openPage();
    await browser.pass(30_000);
    expect(waiting(next)).toEqual([]);
  });

  test('that is dead before its page knows: no other tab offers the text that goes in then', async () => {
    const browser = openBrowser();
    const [page, other] = [browser.openPage(), browser.openPage()];
    await browser.pass(1_000);
    const { deliver, given, answer } = insertionLater();
    await record(browser, page, 2_000, { deliver });
    void page.dictation.stop();
    await msUntil(browser, () => given.length > 0);
    browser.faults.script = 'fails';
    page.killWorker();
    answer.resolve(true);
    const isOffered = () => waiting(other).length > 0;
    expect(await msUntil(browser, isOffered, 20_000)).toBe(20_000);
    browser.faults.script = null;
    expect(await msUntil(browser, isOffered)).toBe(60_000);
    expect(waiting(page)).toEqual([]);
  });

  test('that dies now and then is replaced each time', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    await browser.settle(page.start());
    for (let death = 1; death < 5; death += 1) {
      browser.speak(true);
      await browser.pass(1_000);
      page.killWorker();
      await browser.pass(1_000);
      browser.speak(false);
      await browser.pass(35_000);
      expect(session(page)).toMatchObject({ phase: 'recording', takeovers: death });
    }
    await browser.settle(page.dictation.stop());
    await browser.pass(2_000);
    expect(page.field).toEqual(page.spoken);
  });

  test('that dies again and again: what was said is there in the end', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    await browser.settle(page.start());
    browser.speak(true);
    for (let death = 0; death < 8; death += 1) {
      await browser.pass(1_500);
      page.killWorker();
    }
    browser.speak(false);
    await browser.pass(30_000);
    await browser.settle(page.dictation.stop());
    await browser.pass(60_000);
    const words = [...page.field];
    for (const { dictationId } of waiting(page))
      words.push(...(await take(browser, page, dictationId)));
    expect(words).toEqual(page.spoken);
  });
});

describe('what cannot be encoded', () => {
  async function dictateWithoutEncoder() {
    const browser = openBrowser();
    const page = browser.openPage();
    await record(browser, page, 3_000, { chunkMs: 1_500 });
    browser.faults.broken = 'encoder';
    browser.speak(true);
    await browser.pass(3_000);
    browser.speak(false);
    await browser.pass(800);
    await browser.settle(page.dictation.stop());
    await browser.pass(30_000);
    expect(page.field, 'a text with a hole is no text').toEqual([]);
    expect(kept(page)).toHaveLength(1);
    expect(await browser.settle(page.dictation.audio('s0'))).not.toBeNull();
    return { browser, page };
  }

  test('is listed; tried again in vain it stays, and then the text goes to its place', async () => {
    const { browser, page } = await dictateWithoutEncoder();
    await browser.settle(page.dictation.retryKept('s0'));
    expect(kept(page)).toHaveLength(1);
    browser.faults.broken = null;
    await browser.settle(page.dictation.retryKept('s0'));
    await browser.pass(60_000);
    expect(page.field).toEqual(page.spoken);
    expect([kept(page), waiting(page)]).toEqual([[], []]);
  });

  test('comes with the next page', async () => {
    const { browser, page } = await dictateWithoutEncoder();
    page.close();
    browser.faults.broken = null;
    const next = browser.openPage();
    await browser.pass(60_000);
    expect(await take(browser, next, 's0')).toEqual(page.spoken);
    expect(kept(next)).toEqual([]);
  });

  test('is the person’s to throw away, and the text there is can be had before', async () => {
    const { browser, page } = await dictateWithoutEncoder();
    const words = await take(browser, page, 's0');
    expect(words).toEqual(page.spoken.slice(0, words.length));
    expect(words.length).toBeGreaterThan(10);
    expect(kept(page)).toHaveLength(1);
    page.dictation.discardKept('s0');
    await browser.pass(10_000);
    expect([kept(page), waiting(page), notices(page)]).toEqual([[], [], []]);
    expect(page.dictation.getSnapshot().ledger.deletedSamples).toBeGreaterThan(0);
  });
});

test('without an engine all that is recorded is kept as speech', async () => {
  const browser = openBrowser();
  browser.faults.broken = 'engine';
  const page = browser.openPage();
  await dictate(browser, page, 3_000);
  await browser.pass(1_000);
  expect(page.field).toEqual(page.spoken);
  expect(notices(page)).toEqual(['engine-failed']);
});

describe('with live pieces', () => {
  /** Three sentences with pauses, whose pieces meet these verdicts, true from then on. */
  async function dictateLive(verdicts: boolean[], faults: Partial<Faults> = {}) {
    const browser = openBrowser();
    const page = browser.openPage();
    const pieces: string[][] = [];
    const rest: string[] = [];
    await browser.settle(
      page.start({
        live: true,
        insert: 'at-pause',
        deliverPiece: async (text) => {
          const verdict = verdicts.shift() ?? true;
          if (verdict) pieces.push(wordsIn(text));
          return verdict;
        },
        deliver: async ({ text }) => {
          rest.push(...wordsIn(text));
          return true;
        },
      }),
    );
    await browser.pass(500);
    Object.assign(browser.faults, faults);
    for (let sentence = 0; sentence < 3; sentence += 1) {
      browser.speak(true);
      await browser.pass(3_500);
      browser.speak(false);
      await browser.pass(2_500);
      expect(waiting(page).filter(({ number }) => number < pieces.length)).toEqual([]);
      expect(lateItems(page.dictation.getSnapshot())).toEqual([]);
      browser.faults.server = null;
    }
    await browser.pass(5_000);
    const before = pieces.length;
    const result = await browser.settle(page.dictation.stop());
    await browser.pass(2_000);
    expect([...pieces.flat(), ...rest]).toEqual(page.spoken);
    expect(wordsIn(result?.text ?? '')).toEqual(rest);
    expect(waiting(page)).toEqual([]);
    return { pieces, before };
  }

  test('each goes in at its pause, once, and the end brings the rest', async () => {
    expect((await dictateLive([])).before).toBe(3);
  });

  test('one that is refused comes again with the next', async () => {
    const { pieces, before } = await dictateLive([true, false]);
    expect(before).toBe(2);
    expect(pieces[1]?.length).toBeGreaterThan(60);
  });

  test.each([
    ['is away', 'down'],
    ['breaks', 'breaks'],
    ['is busy', 'busy'],
  ] as const)(
    'a server that %s for a moment is asked again while the recording goes on',
    async (_what, server) => {
      const { pieces, before } = await dictateLive([], { server });
      expect(before).toBeGreaterThan(0);
      expect(pieces.flat().at(-1)).toMatch(/^0\.1[5-9]\d$/);
    },
  );

  test('none goes in that the disk has not: another worker might cut it otherwise', async () => {
    expect((await dictateLive([], { store: () => 'refused' })).before).toBe(0);
  });
});

describe('storage', () => {
  test.each(['refused', 'aborted', 'aborted-late', 'answer-lost', 'hung'] as const)(
    'that fails (%s) costs no word, and is said until it works again',
    async (fault) => {
      const browser = openBrowser();
      const page = browser.openPage();
      await record(browser, page, 1_000);
      browser.faults.store = () => fault;
      browser.speak(true);
      await browser.pass(45_000);
      expect(notices(page)).toHaveLength(1);
      browser.speak(false);
      await browser.pass(800);
      await browser.settle(page.dictation.stop());
      await browser.pass(2_000);
      if (fault !== 'hung') expect(page.field).toEqual(page.spoken);
      browser.faults.store = null;
      await browser.pass(60_000);
      await dictate(browser, page, 1_000);
      await browser.pass(30_000);
      expect(page.field).toEqual(page.spoken);
      expect(notices(page)).toEqual([]);
      await record(browser, page, 1_000);
      browser.faults.store = () => fault;
      browser.speak(true);
      await browser.pass(45_000);
      expect(notices(page), 'said again').toHaveLength(1);
      browser.faults.store = null;
      browser.speak(false);
      await browser.pass(60_000);
      await browser.settle(page.dictation.stop());
      await browser.pass(2_000);
      expect(page.field).toEqual(page.spoken);
      page.close();
      const next = browser.openPage();
      await browser.pass(60_000);
      expect(waiting(next)).toEqual([]);
    },
  );

  test('that is full ends the recording, and is said; its text comes, and room lets go of it', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    browser.faults.capacity = 200_000;
    await browser.settle(page.start());
    browser.speak(true);
    await msUntil(browser, () => !session(page).isRecording);
    browser.speak(false);
    expect(notices(page)).toContain('storage-full');
    await browser.pass(30_000);
    expect(page.field).toEqual(page.spoken);
    browser.faults.capacity = Number.POSITIVE_INFINITY;
    await browser.pass(60_000);
    await dictate(browser, page, 1_000);
    expect(notices(page)).toEqual([]);
    expect(page.field).toEqual(page.spoken);
  });
});

describe('several pages', () => {
  test('what one leaves behind is sent once, shown in each, and taken once', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    browser.faults.server = 'down';
    await dictate(browser, page);
    page.close();
    const others = [browser.openPage(), browser.openPage()];
    await browser.pass(5_000);
    browser.faults.server = null;
    await browser.pass(60_000);
    const asked = browser.asked.slice(-page.spoken.length);
    expect(asked).toEqual(page.spoken);
    for (const other of others) expect(kinds(other)).toEqual(['answered']);
    const taken = await browser.settle(
      Promise.all(others.map((other) => other.dictation.takeText('s0', async () => true))),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
    await browser.pass(2_000);
    for (const other of others) expect(waiting(other)).toEqual([]);
  });

  test('what one records is neither listed nor sent by another; what it awaits has its place', async () => {
    const browser = openBrowser();
    const [page, other] = [browser.openPage(), browser.openPage()];
    await browser.pass(2_000);
    browser.faults.server = 'down';
    await record(browser, page);
    expect(waiting(other)).toEqual([]);
    await browser.settle(page.dictation.stop());
    browser.faults.server = null;
    await browser.pass(60_000);
    expect(page.field).toEqual(page.spoken);
    expect([waiting(page), waiting(other), other.field]).toEqual([[], [], []]);
  });

  test('one that has the turn to send is frozen: another sends', async () => {
    const browser = openBrowser();
    const first = browser.openPage();
    await browser.pass(3_000);
    const page = browser.openPage();
    await browser.pass(3_000);
    browser.faults.server = 'down';
    await dictate(browser, page);
    first.freeze(3_600_000);
    browser.faults.server = null;
    expect(await msUntil(browser, () => page.field.length > 0, 300_000)).toBeLessThan(200_000);
    expect(page.field).toEqual(page.spoken);
  });

  test('what one throws away is gone in the other, and not sent any more', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    browser.faults.server = 'breaks';
    await dictate(browser, page);
    page.close();
    const [one, other] = [browser.openPage(), browser.openPage()];
    await browser.pass(30_000);
    expect(kinds(other)).toEqual(['pending']);
    one.dictation.discard(waiting(one)[0]?.id ?? '');
    await browser.pass(1_000);
    const asked = browser.asked.length;
    browser.faults.server = null;
    await browser.pass(60_000);
    expect(browser.asked.length).toBe(asked);
    for (const each of [one, other]) expect(waiting(each)).toEqual([]);
  });

  test('a place that is held for a text is spared when another page deletes everything', async () => {
    const browser = openBrowser();
    const page = browser.openPage();
    browser.faults.server = 'down';
    await dictate(browser, page, 2_000, { deliver: async () => false });
    const [one, other] = [browser.openPage(), browser.openPage()];
    page.close();
    await browser.pass(10_000);
    const letGo = await browser.settle(one.dictation.holdPlace('s0'));
    await browser.settle(other.dictation.wipe());
    await browser.pass(2_000);
    expect(kinds(one)).toEqual(['pending']);
    letGo();
    await browser.pass(500);
    await browser.settle(other.dictation.wipe());
    await browser.pass(2_000);
    expect(kinds(one)).toEqual([]);
  });
});
