import { describe, expect, test, vi } from 'vitest';
import type { StartOptions } from '../../src/core/contracts/dictation.ts';
import { joinTranscripts } from '../../src/core/queue/queue-item.ts';
import { SPOKEN_CONTROL } from '../../src/core/queue/taken-back.ts';
import { dictationsOf } from '../../src/core/session/dictations.ts';
import type { GivenTextRules } from '../../src/core/text/text-rules.ts';
import { type MadeBrowser, type MadePage, openMadeBrowser } from '../helpers/made-browser.ts';
import { NOBODY } from '../simulator/owners.ts';
import { wordsIn } from '../simulator/words.ts';

// "Stryk det", "ångra" and "stoppa", from the microphone to the field of a made browser.

vi.setConfig({ testTimeout: 60_000 });

type Spoken = {
  /** The insertions that stand in the field, the end's last. */
  readonly field: readonly string[];
  readonly text: string | undefined;
  readonly phase: string;
  readonly heard: string | undefined;
  /** The number of chunks that still wait. */
  readonly waiting: number;
};

type How = {
  readonly start?: StartOptions;
  readonly rules?: GivenTextRules;
  /** The last one is stopped with no pause behind it. */
  readonly isCutShort?: boolean;
  /** From this one on the server is away, until the recording has been over for a while. */
  readonly isAwayFrom?: number;
  /** Happens before the server is back. */
  readonly meanwhile?: (page: MadePage, browser: MadeBrowser) => Promise<void>;
};

/** Says these one after the other, a pause behind each, and stops. */
async function say(said: readonly string[], how: How = {}): Promise<Spoken> {
  const browser = openMadeBrowser(1, how.start?.live !== false);
  const page = browser.openPage(NOBODY, how.rules);
  const { dictation } = page;
  let field: string[] = [];
  const ends: number[] = [];
  // An answer that comes late is to what was said when its sound was spoken.
  browser.faults.hears = (words) => {
    const heard = wordsIn(words);
    const at = page.spoken.indexOf(heard[Math.floor(heard.length / 2)] ?? '');
    return said[ends.findIndex((end) => at < end)] ?? said[ends.length] ?? '';
  };
  await browser.settle(
    page.start({
      live: true,
      insert: 'at-pause',
      language: 'sv',
      async deliverPiece(text, _withdrawn, takeBack) {
        field = takeBack > 0 ? field.slice(0, -takeBack) : [...field, text];
        return true;
      },
      async deliver({ text }) {
        if (text !== '') field.push(text);
        return true;
      },
      ...how.start,
    }),
  );
  const { id } = dictation.getSnapshot().session;
  await browser.pass(500);
  for (const at of said.keys()) {
    if (at === how.isAwayFrom) browser.faults.server = 'down';
    browser.speak(true);
    await browser.pass(2_500);
    browser.speak(false);
    const isLast = at === said.length - 1;
    // A text that waits for the end has longer pieces.
    await browser.pass(isLast && how.isCutShort ? 100 : 3_500);
    ends.push(page.spoken.length);
  }
  await browser.pass(how.isCutShort ? 0 : 3_000);
  const { phase } = dictation.getSnapshot().session;
  const result = await browser.settle(dictation.stop());
  await browser.pass(2_000);
  await how.meanwhile?.(page, browser);
  browser.faults.server = null;
  if (how.isAwayFrom !== undefined) await browser.pass(120_000);
  const waiting = dictation.getSnapshot().queue.items.length;
  if (how.meanwhile) return { field, text: result?.text, phase, heard: undefined, waiting };
  const transcripts = await browser.settle(dictation.recordings.transcripts(id ?? ''));
  return { waiting, field, text: result?.text, phase, heard: transcripts.at(-1)?.heard };
}

describe('pieces that go in at their pause', () => {
  test.each<[string, string[], string[]]>([
    ['the last piece goes', ['Ett.', 'Två.', 'Stryk det.', 'Tre.'], ['Ett.', 'Tre.']],
    ['the one before it, too', ['Ett.', 'Två.', 'Stryk det.', 'Stryk det.'], []],
    ['it comes back', ['Ett.', 'Två.', 'Stryk det.', 'Ångra.', 'Tre.'], ['Ett.', 'Två.', 'Tre.']],
    ['an insertion is undone', ['Ett.', 'Två.', 'Ångra.'], ['Ett.']],
    ['where nothing is, nothing goes', ['Stryk det.', 'Ångra.', 'Ett.'], ['Ett.']],
    [
      'a sentence with the words is text',
      ['Ett.', 'Stryk det där ordet.'],
      ['Ett.', 'Stryk det där ordet.'],
    ],
  ])('%s', async (_what, said, field) => {
    expect((await say(said)).field).toEqual(field);
  });

  test.each<[string, string[], string[]]>([
    ['with no pause before it', ['Ett.', 'Två. Tre. Stryk det.'], ['Ett.', 'Två.']],
    ['of all that is in its piece', ['Ett.', 'Två. Stryk det.'], ['Ett.']],
    ['and of more', ['Ett.', 'Två. Stryk det. Stryk det.'], []],
  ])('also at the end of the recording, %s', async (_what, said, left) => {
    const { field, heard } = await say(said, { isCutShort: true });
    expect(field).toEqual(left);
    expect(heard).toBe(said.join(' '));
  });

  test('also when the recording ends with it', async () => {
    const { field } = await say(['Ett.', 'Två.', 'Stryk det.'], { isCutShort: true });
    expect(field).toEqual(['Ett.']);
  });
});

test('texts that go in at the end come without what was taken back, and what was heard is kept', async () => {
  const said = ['Ett.', 'Två.', 'Stryk det.', 'Tre.'];
  const { field, heard } = await say(said, { start: { insert: 'at-stop' } });
  expect(field).toEqual(['Ett. Tre.']);
  expect(heard).toBe('Ett. Två. Stryk det. Tre.');
});

describe('texts that come late', () => {
  test.each<[string, string[], string[]]>([
    ['come without what was taken back', ['Ge fem.', 'Stryk det.', 'Ge tio.'], ['Ge tio.']],
    ['come with what was undone', ['Ge fem.', 'Stryk det.', 'Ångra.'], ['Ge fem.']],
    ['come with the line breaks that were said', ['Ett.', 'Ny rad.', 'Två.'], ['Ett.\nTvå.']],
    ['leave nothing where all was taken back', ['Ge fem.', 'Stryk det.'], []],
  ])('%s', async (_what, said, field) => {
    const spoken = await say(said, { start: { insert: 'at-stop' }, isAwayFrom: 0 });
    expect(spoken.field).toEqual(field);
    expect(spoken.waiting).toBe(0);
  });

  test('are offered so when the page is gone', async () => {
    let offered: readonly string[] = [];
    await say(['Ge fem.', 'Stryk det.', 'Ge tio.', 'Ny rad.', 'Ge två.'], {
      start: { insert: 'at-stop' },
      isAwayFrom: 0,
      async meanwhile(page, browser) {
        page.close();
        browser.faults.server = null;
        const { dictation } = browser.openPage();
        await browser.pass(60_000);
        offered = dictationsOf(dictation.getSnapshot()).map(({ text }) => text);
      },
    });
    expect(offered).toEqual(['Ge tio.\nGe två.']);
  });

  test('and are in no list where nothing is left of them', async () => {
    let waiting = -1;
    await say(['Ge fem.', 'Stryk det.'], {
      start: { insert: 'at-stop' },
      isAwayFrom: 0,
      async meanwhile(page, browser) {
        page.close();
        browser.faults.server = null;
        const { dictation } = browser.openPage();
        await browser.pass(60_000);
        waiting = dictation.getSnapshot().queue.items.length;
      },
    });
    expect(waiting).toBe(0);
  });
});

test('"stoppa" ends the recording, and no word of it goes in', async () => {
  const { field, phase } = await say(['Ett.', 'Stoppa.']);
  expect(phase).toBe('idle');
  expect(field).toEqual(['Ett.']);
});

test.each<[string, How]>([
  ['switched off', { rules: { rules: { control: false } } }],
  ['in one piece', { start: { live: false } }],
])('%s, they are text', async (_what, how) => {
  const { field, phase } = await say(['Stoppa.'], how);
  expect(phase).toBe('recording');
  expect(field).toEqual(['Stoppa.']);
});

test('joined, each takes back what was said or done last', () => {
  const { strike, undo, stop } = SPOKEN_CONTROL;
  const joined = (...texts: string[]) => joinTranscripts(new Map(texts.entries()), 'running');
  expect(joined('a', 'b', strike, 'c')).toBe('a c');
  expect(joined('a', 'b', strike, undo, 'c')).toBe('a b c');
  expect(joined('a', strike, strike, 'b')).toBe('b');
  expect(joined('a', 'b', undo, undo, undo, 'c', stop)).toBe('c');
  expect(joined('a', '', strike, 'b')).toBe('b');
  const many = Array.from({ length: 20_000 }, (_, at) => (at % 3 === 2 ? strike : 'a'));
  expect(joined(...many).length).toBeGreaterThan(0);
});
