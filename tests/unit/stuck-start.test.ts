import { describe, expect, test } from 'vitest';
import type { StartOptions } from '../../src/core/contracts/dictation.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { INITIAL_SNAPSHOT } from '../../src/core/session/snapshot.ts';
import { type MadeBrowser, openMadeBrowser } from '../helpers/made-browser.ts';

describe('a worker whose script does not come', () => {
  test('is said within 5 s, and what is spoken meanwhile is text when it comes', async () => {
    const browser = openMadeBrowser();
    browser.faults.script = 'hangs';
    const page = browser.openPage();
    const started = page.start();
    browser.speak(true);
    const notices = () => page.dictation.getSnapshot().notices.map(({ kind }) => kind);
    await browser.pass(3_000);
    expect(notices()).toEqual([]);
    await browser.pass(2_500);
    expect(notices()).toEqual(['start-delayed']);
    expect(page.dictation.getSnapshot().session.phase).toBe('starting');
    browser.faults.script = null;
    expect(await browser.settle(started)).toEqual({ ok: true });
    await browser.pass(500);
    expect(notices()).toEqual([]);
    browser.speak(false);
    await browser.pass(1_000);
    await browser.settle(page.dictation.stop());
    expect(page.field).toEqual(page.spoken);
  });

  test('for so long that it is given up, with presses meanwhile: a start works afterwards', async () => {
    const browser = openMadeBrowser();
    browser.faults.script = 'fails';
    const page = browser.openPage();
    void page.start();
    for (let presses = 0; presses < 8; presses += 1) {
      await browser.pass(10_000);
      void page.dictation.stop();
      void page.start();
    }
    browser.faults.script = null;
    await browser.pass(60_000);
    await browser.settle(page.dictation.stop());
    expect(await browser.settle(page.start())).toEqual({ ok: true });
    await browser.pass(500);
    expect(page.dictation.getSnapshot().session.phase).toBe('recording');
  });

  test('holds no next recording up: its microphone opens at once, and each text goes to its place', async () => {
    const browser = openMadeBrowser();
    browser.faults.script = 'hangs';
    const page = browser.openPage();
    void page.start();
    browser.speak(true);
    await browser.pass(2_000);
    void page.dictation.stop();
    const next = page.start();
    await browser.pass(2_000);
    browser.speak(false);
    expect(new Set(page.spoken.map((word) => word.split('.')[0]))).toEqual(new Set(['0', '1']));
    browser.faults.script = null;
    expect(await browser.settle(next)).toEqual({ ok: true });
    await browser.settle(page.dictation.stop());
    await browser.pass(1_000);
    const of = (session: string) => (word: string) => word.startsWith(session);
    for (const session of ['0.', '1.']) {
      expect(page.field.filter(of(session))).toEqual(page.spoken.filter(of(session)));
    }
  });
});

describe('a worker that has a session which its page has no more', () => {
  const frames = () => new MessageChannel().port1;

  async function askWorker() {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    await browser.pass(1_000);
    const { api } = page.connection.worker();
    const session = () => page.dictation.getSnapshot().session;
    const begin = (id: string) => browser.settle(api.begin(id, DEFAULT_SESSION_OPTIONS));
    const takeOver = (dictationId: string) =>
      api.takeOver(
        {
          dictationId,
          options: DEFAULT_SESSION_OPTIONS,
          session: { ...INITIAL_SNAPSHOT.session, id: dictationId },
          notices: [],
          delivered: new Map(),
        },
        frames(),
      );
    return { browser, page, api, session, begin, takeOver };
  }

  test('lets go of it when another begins', async () => {
    const { begin, session, browser } = await askWorker();
    expect(await begin('a')).toBeNull();
    expect(await begin('b')).toBeNull();
    await browser.pass(2_000);
    expect(session().id).toBe('b');
  });

  test('also while it is on its way there', async () => {
    const { begin, takeOver, session, browser } = await askWorker();
    const taken = takeOver('a');
    expect(await begin('b')).toBeNull();
    expect(await browser.settle(taken)).toMatchObject({ code: 'wrong-phase' });
    await browser.pass(2_000);
    expect(session().id).toBe('b');
  });

  test('goes on with one that it is handed twice', async () => {
    const { takeOver, session, browser } = await askWorker();
    const [once, twice] = [takeOver('a'), takeOver('a')];
    expect(await browser.settle(once)).toBeNull();
    expect(await browser.settle(twice)).toBeNull();
    await browser.pass(500);
    expect(session().id).toBe('a');
  });
});

describe('a stop on a page that is left', () => {
  /** Steps that may take for ever, each from the stop on. */
  const TROUBLES: Record<string, (browser: MadeBrowser) => StartOptions> = {
    'no trouble': () => ({}),
    'a text that is never said to be in': () => ({ deliver: () => new Promise(() => {}) }),
    'a server that does not answer': ({ faults }) => {
      faults.server = 'swallows';
      return {};
    },
    'storage that hangs': ({ faults }) => {
      faults.store = () => 'hung';
      return {};
    },
    'files that are never made': ({ faults }) => {
      faults.encodingMs = 1e9;
      return {};
    },
  };

  test.each(
    Object.keys(TROUBLES).flatMap((trouble) =>
      [0, 5, 40, 300, 1_500, 8_000, 19_500].map((atMs) => [trouble, atMs] as const),
    ),
  )('is answered: %s, %i ms after it', async (trouble, atMs) => {
    const browser = openMadeBrowser();
    const page = browser.openPage();
    const options = TROUBLES[trouble]?.(browser) ?? {};
    const started = page.start(options);
    browser.speak(true);
    await browser.pass(2_500);
    browser.speak(false);
    await browser.pass(1_000);
    expect(await browser.settle(started)).toEqual({ ok: true });
    let isAnswered = false;
    void page.dictation.stop().then(() => {
      isAnswered = true;
    });
    await browser.pass(atMs);
    await browser.settle(page.leave());
    await browser.pass(25_000);
    expect(isAnswered).toBe(true);
  });
});
