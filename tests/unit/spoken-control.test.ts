import { describe, expect, test, vi } from 'vitest';
import type { StartOptions } from '../../src/core/contracts/dictation.ts';
import { joinTranscripts, reviewReason } from '../../src/core/queue/queue-item.ts';
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
  /** Why they are to be reviewed. */
  readonly toReview: readonly string[];
  /** The texts that are offered. */
  readonly offered: readonly string[];
  /** The text as it is kept. */
  readonly kept: string | undefined;
};

type How = {
  readonly start?: StartOptions;
  readonly rules?: GivenTextRules;
  /** The last one is stopped with no pause behind it. */
  readonly isCutShort?: boolean;
  /** From this one on the server is away, until the recording has been over for a while. */
  readonly isAwayFrom?: number;
  /** The field refuses the insertions, and the taking out of some, of these numbers. */
  readonly refused?: readonly number[];
  /** The field refuses what is left at the end. */
  readonly isEndRefused?: boolean;
  /** Happens before the server is back. */
  readonly meanwhile?: (page: MadePage, browser: MadeBrowser) => Promise<void>;
};

/** Says these one after the other, a pause behind each, and stops. */
async function say(said: readonly string[], how: How = {}): Promise<Spoken> {
  const browser = openMadeBrowser(1, how.start?.live !== false);
  const page = browser.openPage(NOBODY, how.rules);
  const { dictation } = page;
  let field: string[] = [];
  let calls = 0;
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
        calls += 1;
        if (how.refused?.includes(calls - 1)) return false;
        field = takeBack > 0 ? field.slice(0, -takeBack) : [...field, text];
        return true;
      },
      async deliver({ text }) {
        if (text !== '' && how.isEndRefused) return false;
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
  const { items } = dictation.getSnapshot().queue;
  const waiting = items.length;
  const toReview = items.flatMap(({ state }) => reviewReason(state) ?? []);
  const offered = dictationsOf(dictation.getSnapshot()).flatMap(({ isWaiting, text }) =>
    isWaiting ? text : [],
  );
  if (how.isEndRefused && id) {
    const taken = dictation.takeText(id, async (text) => {
      field.push(text);
      return true;
    });
    await browser.settle(taken);
    await browser.pass(1_000);
  }
  const rest = { waiting, toReview, offered };
  if (how.meanwhile)
    return { field, text: result?.text, phase, heard: undefined, kept: undefined, ...rest };
  const transcripts = await browser.settle(dictation.recordings.transcripts(id ?? ''));
  const { heard, text: kept } = transcripts.at(-1) ?? {};
  return { field, text: result?.text, phase, heard, kept, ...rest };
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

describe('what was taken out of the field', () => {
  const UNDONE = ['Ge fem.', 'Stryk det.', 'Ångra.'];
  /** The first two go in together, and what is left of them is refused once it was taken out. */
  const TOGETHER = { said: ['Ta fem.', 'Ring mig.', 'Stryk det.'], refused: [0, 3] };

  test('is back when the recording ends with its undoing', async () => {
    expect((await say(UNDONE, { isCutShort: true })).field).toEqual(['Ge fem.']);
  });

  test('is back at the end, where the field refused it before', async () => {
    const { said, refused } = TOGETHER;
    expect((await say(said, { refused })).field).toEqual(['Ta fem.']);
  });

  test('is offered where the field refuses it at the end, too', async () => {
    const undone = await say(UNDONE, { isCutShort: true, isEndRefused: true });
    expect(undone).toMatchObject({ offered: ['Ge fem.'], field: ['Ge fem.'], kept: 'Ge fem.' });
    const { said, refused } = TOGETHER;
    const left = await say(said, { refused, isEndRefused: true });
    expect(left).toMatchObject({ offered: ['Ta fem.'], field: ['Ta fem.'], kept: 'Ta fem.' });
  });

  test('is known by what the field says, and tried again', async () => {
    const said = ['Ett.', 'Två.', 'Stryk det.', 'Tre.'];
    // The third call takes out.
    expect((await say(said, { refused: [2] })).field).toEqual(['Ett.', 'Tre.']);
    expect((await say(said, { refused: [2, 3] })).field).toEqual(['Ett.', 'Tre.']);
  });

  test('is to be reviewed where the field would not let go of it', async () => {
    const spoken = await say(['Ett.', 'Två.', 'Stryk det.', 'Tre.'], { refused: [2, 3, 4, 5] });
    expect(spoken.field).toEqual(['Ett.', 'Två.', 'Tre.']);
    expect(spoken.toReview).toContain('altered');
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

  test.each<[string, number, string[], string[]]>([
    ['is struck', 1, ['Ge fem.', 'Stryk det.', 'Ge tio.'], ['Ge tio.']],
    ['is struck with what came late', 1, ['Ett.', 'Två.', 'Stryk det.', 'Stryk det.'], []],
    ['stays where what came late is struck', 1, ['Ett.', 'Två.', 'Stryk det.'], ['Ett.']],
    ['is struck again', 2, ['Ett.', 'Stryk det.', 'Ångra.', 'Stryk det.'], []],
    ['comes back', 2, ['Ett.', 'Stryk det.', 'Ångra.', 'Två.'], ['Ett. Två.']],
  ])('and of what stands in the field: it %s', async (_what, isAwayFrom, said, field) => {
    const spoken = await say(said, { isAwayFrom });
    expect(spoken.field).toEqual(field);
    expect(spoken.waiting).toBe(0);
  });

  test('it stays where what was struck was thrown away', async () => {
    let isThrown = false;
    const { field } = await say(['Ett.', 'Två.', 'Stryk det.'], {
      isAwayFrom: 1,
      async meanwhile({ dictation }, browser) {
        const second = dictation.getSnapshot().queue.items.find(({ number }) => number === 1);
        if (second) dictation.discard(second.id);
        isThrown = second !== undefined;
        await browser.pass(1_000);
      },
    });
    expect(isThrown).toBe(true);
    expect(field).toEqual(['Ett.']);
  });

  test('what the field would not let go of is to be reviewed', async () => {
    const spoken = await say(['Ge fem.', 'Stryk det.', 'Ge tio.'], { isAwayFrom: 1, refused: [1] });
    expect(spoken.field).toEqual(['Ge fem.', 'Ge tio.']);
    expect(spoken.toReview).toContain('altered');
  });

  test('what the field takes later, it takes without what was struck', async () => {
    const how = { isAwayFrom: 1, refused: [1], isEndRefused: true };
    const spoken = await say(['Ge fem.', 'Stryk det.', 'Ge tio.'], how);
    expect(spoken.offered).toEqual(['Ge tio.']);
    expect(spoken.field).toEqual(['Ge tio.']);
  });

  test('what was struck with a part that a person took stays struck', async () => {
    const spoken = await say(['Ett.', 'Stryk det.', 'Stryk det.'], {
      isAwayFrom: 2,
      refused: [1],
      async meanwhile({ dictation }, browser) {
        const taken: string[] = [];
        const into = async (text: string) => taken.push(text) > 0;
        await browser.settle(dictation.takeText('s0', into));
        expect(taken.join('')).toBe('');
      },
    });
    expect(spoken).toMatchObject({ field: [], waiting: 0 });
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

test('the rules applied anew, and once more, bring back nothing that was struck', async () => {
  const said = ['Ge fem.', 'Stryk det.', 'Ge tio.'];
  const texts: string[] = [];
  await say(said, {
    start: { insert: 'at-stop', id: 's0' },
    async meanwhile(page, browser) {
      page.close();
      for (const write of ['elva', 'tolv']) {
        const next = browser.openPage(NOBODY, { replacements: [{ say: 'tio', write }] });
        await browser.pass(2_000);
        const { recordings } = next.dictation;
        expect(await browser.settle(recordings.applyRules('s0'))).toBe(true);
        const all = await browser.settle(recordings.transcripts('s0'));
        texts.push(all.at(-1)?.text ?? '');
        expect(all.at(-1)?.heard).toBe(said.join(' '));
        next.close();
      }
    },
  });
  expect(texts).toEqual(['Ge elva.', 'Ge tolv.']);
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
