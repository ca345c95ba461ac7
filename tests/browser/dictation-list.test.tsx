import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { writeWav } from '../../src/core/audio/wav-file.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type { ChunkState, QueueItemHead, ReviewReason } from '../../src/core/queue/queue-item.ts';
import {
  DEFAULT_KEEPING,
  type Recording,
  type Transcript,
} from '../../src/core/recordings/recording.ts';
import {
  INITIAL_SNAPSHOT,
  type KeptRecording,
  type Snapshot,
} from '../../src/core/session/snapshot.ts';
import { DictationsButton } from '../../src/page/App.tsx';
import { DictationList } from '../../src/widget/DictationList.tsx';
import { durationText, whenText } from '../../src/widget/said-in.ts';
import { createStillDictation } from '../../src/widget/still-dictation.ts';
import { madeRecording, madeRecordings, manyRecordings } from '../catalogue/states.ts';
import { giveText } from '../helpers/give.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { render } from '../helpers/render.tsx';
import { until } from '../helpers/until.ts';

const OPTIONS = { removePii: false, fixSpelling: true, fast: true, language: 'sv' };
const FIRST: Transcript = { text: 'hej du', atMs: 0, by: { kind: 'first' }, needsReview: null };
const SECOND: Transcript = {
  text: 'hej på dig du',
  atMs: 0,
  by: { kind: 'again', ...OPTIONS, language: 'en' },
  needsReview: null,
};

/** Today at 14:05, yesterday, and so on back. */
const daysAgo = (days: number): number => {
  const time = new Date();
  time.setHours(14, 5, 0, 0);
  time.setDate(time.getDate() - days);
  return time.getTime();
};
const made = (id: string, change: Partial<Recording> = {}) =>
  madeRecording({ id, startedAtMs: daysAgo(0), firstWords: 'hej på dig', ...change });

/** A waiting text, also made today. */
const waits = (change: Partial<QueueItemHead> = {}) =>
  makeQueueItem({ dictationId: 'w', createdAtMs: daysAgo(0), durationSamples: 160_000, ...change });
const queueOf = (items: readonly QueueItemHead[]) => ({
  queue: { ...INITIAL_SNAPSHOT.queue, items, isLoaded: true },
});
const TEXT = { kind: 'answered', text: 'kvar', needsReview: null } as const;
const FAILED: ChunkState = {
  kind: 'pending',
  nextAttemptAtMs: Date.now() + 120_000,
  lastError: { code: 'http-network', message: 'refused' },
};
const toReview = (needsReview: ReviewReason, text: string): ChunkState => ({
  kind: 'delivered',
  text,
  needsReview,
  hasAudio: true,
});

/** The list over recordings, and over what waits, and what it asked for. */
function show(list: readonly Recording[], changes: Partial<Snapshot> = {}, marksUnsure = true) {
  const dictation = createStillDictation({ recordings: madeRecordings(list), ...changes }, [
    FIRST,
    SECOND,
  ]);
  const file = async () =>
    ({ type: 'audio/wav', bytes: writeWav(new Float32Array(160_000)) }) as const;
  const audio = vi.spyOn(dictation.recordings, 'audio').mockImplementation(file);
  const queued = vi.spyOn(dictation, 'audio').mockImplementation(file);
  const again = vi.spyOn(dictation.recordings, 'transcribeAgain').mockResolvedValue(true);
  const insert = vi.fn(async (_text: string): Promise<DeliveryVerdict> => true);
  const copy = vi.fn(async (_text: string) => true);
  const take = vi
    .spyOn(dictation, 'takeText')
    .mockImplementation(async (_id, give) => give('kvar', new AbortController().signal));
  const { host } = render(
    <>
      <DictationsButton dictation={dictation} />
      <DictationList dictation={dictation} insert={insert} copy={copy} marksUnsure={marksUnsure} />
    </>,
  );
  const row = (id: string) => host.querySelector<HTMLElement>(`[data-dictation="${id}"]`);
  return { host, dictation, audio, queued, again, insert, copy, take, row };
}

beforeEach(() => page.viewport(1_000, 800));

const button = (name: string) => page.getByRole('button', { name, exact: true });
const open = (time = 'i dag 14:05') => userEvent.click(button(`Visa mer, ${time}`));
/** The names of the files that are saved from now on. */
function savedNames(): string[] {
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    names.push(this.download);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return names;
}

test('a row for each, newest first: when, how long, its first words, where it stands', async () => {
  const { host } = show([
    made('now', { state: { kind: 'recording' }, firstWords: '' }),
    made('a', { durationSamples: 200 * 16_000 }),
    made('b', { startedAtMs: daysAgo(1), state: { kind: 'waiting' }, firstWords: '' }),
    made('c', { startedAtMs: daysAgo(1), firstWords: '' }),
  ]);
  const rows = [...host.querySelectorAll('li')].map((row) =>
    [...row.querySelectorAll('.dictation-words, .dictation-facts > *')].map(
      (part) => part.textContent,
    ),
  );
  expect(rows).toEqual([
    ['Spelas in i en annan flik', 'i dag 14:05', '3 min 20 s'],
    ['hej på dig', 'i dag 14:05', '3 min 20 s'],
    ['Blir text', 'i går 14:05', '3 min 20 s'],
    ['Inga ord hördes', 'i går 14:05', '3 min 20 s'],
  ]);
  // A dictation in progress has no buttons.
  expect(host.querySelectorAll('li:first-child button')).toHaveLength(0);
  expect(host.querySelector('h2')?.textContent).toBe('Dikteringar 4');
});

test('those that wait are on top, in a list of their own, with the remedy at hand', async () => {
  const { host, row } = show([made('a')], {
    ...queueOf([waits({ state: FAILED }), waits({ dictationId: 'x', id: 'x:0', state: TEXT })]),
  });
  const lists = [...host.querySelectorAll('ul')].map((list) => [
    list.getAttribute('aria-label'),
    list.querySelectorAll('li').length,
  ]);
  expect(lists).toEqual([
    ['Väntar', 2],
    ['Senaste', 1],
  ]);
  expect(host.querySelector('.waiting-badge')?.textContent).toBe('2 väntar');
  expect(row('w')?.querySelector('.dictation-words')?.textContent).toBe(
    'Servern svarar inte, nytt försök om 2 min',
  );
  expect(row('x')?.querySelector('.dictation-words')?.textContent).toBe('kvar');
  expect(row('x')?.querySelector('.dictation-likely')?.textContent).toBe('Infoga');
});

test('one that waits, and is recorded, stands once, and can all that both can', async () => {
  const { host, again, audio, row } = show(
    [made('w', { state: { kind: 'waiting' }, firstWords: '' })],
    queueOf([waits({ state: FAILED })]),
  );
  expect(host.querySelectorAll('li')).toHaveLength(1);
  await open();
  const names = [...(row('w')?.querySelectorAll('button') ?? [])].map(
    (one) => one.textContent || one.getAttribute('aria-label')?.split(',')[0],
  );
  expect(names).toEqual([
    ...['Spela upp', 'Visa mer', 'Infoga', 'Kopiera', 'Försök nu', 'Ladda ner ljudet'],
    ...['Ta bort', 'Gör om till text'],
  ]);
  await userEvent.click(button('Gör om till text, i dag 14:05'));
  expect(again).toHaveBeenCalledWith('w', { language: 'sv' });
  await userEvent.click(button('Spela upp, i dag 14:05'));
  expect(audio).toHaveBeenCalledWith('w');
});

test('a text without its sound is offered as it is, and nothing that needs the sound', async () => {
  const { row, copy } = show([made('a', { durationSamples: 0, bytes: 0, needsReview: 'empty' })]);
  expect(row('a')?.querySelector('.dictation-facts')?.textContent).toContain(
    'Ljudet kunde inte sparas',
  );
  await open();
  const names = [...(row('a')?.querySelectorAll('button') ?? [])].map((one) =>
    one.getAttribute('aria-label'),
  );
  expect(names).toEqual(
    ['Visa mer', 'Infoga', 'Kopiera', 'Använd reglerna igen', 'Ta bort'].map(
      (name) => `${name}, i dag 14:05`,
    ),
  );
  await userEvent.click(button('Kopiera, i dag 14:05'));
  expect(copy).toHaveBeenCalledWith('hej på dig du');
});

describe('what waits', () => {
  test('is taken for insertion, copied, tried again; a failure is said until it has moved on', async () => {
    const { dictation, insert, copy, take, row } = show(
      [],
      queueOf([waits({ state: TEXT }), waits({ number: 1, id: 'w:1', state: FAILED })]),
    );
    const retry = vi.spyOn(dictation, 'retry');
    await userEvent.click(button('Försök nu, i dag 14:05'));
    expect(retry.mock.calls).toEqual([['w:1']]);
    await open();
    await userEvent.click(button('Kopiera, i dag 14:05'));
    expect(copy).toHaveBeenCalledWith('kvar');
    await userEvent.click(button('Infoga, i dag 14:05'));
    expect(take).toHaveBeenCalledWith('w', insert);
    expect(row('w')?.querySelector('[role="alert"]')).toBeNull();
    insert.mockResolvedValue(false);
    await userEvent.click(button('Infoga, i dag 14:05'));
    await until(() => row('w')?.querySelector('[role="alert"]'));
    dictation.set(queueOf([waits({ state: { kind: 'pending', isSending: true } })]));
    await until(() => row('w')?.dataset.state === 'writing');
    expect(row('w')?.querySelector('[role="alert"]')).toBeNull();
  });

  test('that could not be encoded is heard, tried again and deleted', async () => {
    const kept: KeptRecording = {
      dictationId: 'k',
      startedAtMs: daysAgo(0),
      durationSamples: 48_000,
      error: { code: 'encoding-failed', message: 'no memory' },
    };
    const { host, dictation, queued, row } = show([], { kept: [kept] });
    expect(row('k')?.textContent).toContain('3 s');
    expect(row('k')?.textContent).toContain('Kunde inte skickas än');
    expect(row('k')?.textContent).not.toContain('Infoga');
    expect(host.querySelector('.waiting-badge')?.textContent).toBe('1 väntar');
    const retryKept = vi.spyOn(dictation, 'retryKept');
    const discardKept = vi.spyOn(dictation, 'discardKept');
    await userEvent.click(button('Försök nu, i dag 14:05'));
    expect(retryKept).toHaveBeenCalledWith('k');
    await userEvent.click(button('Spela upp, i dag 14:05'));
    expect(queued).toHaveBeenCalledWith('k');
    await open();
    await userEvent.click(button('Ta bort, i dag 14:05'));
    const dialog = await until(() => host.querySelector<HTMLElement>('dialog[open]'));
    expect(discardKept).not.toHaveBeenCalled();
    await userEvent.click(page.elementLocator(dialog!).getByRole('button', { name: 'Ta bort' }));
    await until(() => discardKept.mock.calls.length === 1);
  });

  test('unrecorded is gone for good: that is asked first, with the safe answer focused', async () => {
    const { host, dictation } = show(
      [],
      queueOf([waits({ state: TEXT }), waits({ number: 1, id: 'w:1', state: TEXT })]),
    );
    const discard = vi.spyOn(dictation, 'discard');
    await open();
    await userEvent.click(button('Ta bort, i dag 14:05'));
    const dialog = await until(() => host.querySelector('dialog[open]'));
    expect(dialog?.textContent).toContain('kan inte hämtas tillbaka');
    expect(document.activeElement?.textContent).toBe('Behåll');
    await userEvent.keyboard('{Enter}');
    await until(() => !host.querySelector('dialog'));
    expect(discard).not.toHaveBeenCalled();
    await userEvent.click(button('Ta bort, i dag 14:05'));
    await until(() => host.querySelector('dialog[open]'));
    await userEvent.keyboard('{Tab}{Enter}');
    await until(() => !host.querySelector('dialog'));
    expect(discard.mock.calls).toEqual([['w:0'], ['w:1']]);
  });

  test('and is recorded is deleted without a question: the way back has its place', async () => {
    const recording = made('w', { state: { kind: 'waiting' } });
    const { host, dictation, row } = show([made('a'), recording], queueOf([waits()]));
    const gone = vi.spyOn(dictation.recordings, 'delete');
    await userEvent.click(row('w')!.querySelector('.dictation-open')!);
    await userEvent.click(row('w')!.querySelector('[aria-label^="Ta bort"]')!);
    await until(() => host.querySelector('.bin-line'));
    expect(host.querySelector('dialog')).toBeNull();
    expect(gone.mock.calls).toEqual([['w']]);
    expect(host.querySelector('li .bin-line')).toBeNull();
    expect(document.activeElement).toBe(button('Ångra, i dag 14:05').element());
    await userEvent.keyboard('{Enter}');
    await until(() => row('w'));
  });
});

describe('a text that may not be whole', () => {
  test.each<[ReviewReason, string]>([
    ['empty', 'Servern hörde inga ord i talet. Lyssna och försök igen.'],
    ['incomplete', 'Servern kunde inte läsa allt ljud, så ord kan saknas i texten.'],
    ['altered', 'Sidan ändrade texten när den infogades. Här är hela texten.'],
  ])('%s: what happened, in one sentence, and no text that is not there', (why, sentence) => {
    const { row } = show([], queueOf([waits({ state: toReview(why, '') })]));
    expect(row('w')?.dataset.state).toBe('needs-review');
    expect(row('w')?.querySelector('.dictation-why')?.textContent).toContain(sentence);
    expect(row('w')?.textContent).not.toContain('Infoga');
    expect(row('w')?.textContent).not.toContain('Kopiera');
  });

  test('is written down anew, and its words stay until the person has done with it', async () => {
    const { dictation, insert, copy, take } = show(
      [],
      queueOf([waits({ state: toReview('incomplete', 'ett två tre') })]),
    );
    const retry = vi.spyOn(dictation, 'retry');
    await userEvent.click(button('Försök igen, i dag 14:05'));
    expect(retry.mock.calls).toEqual([['w:0']]);
    await open();
    await userEvent.click(button('Kopiera, i dag 14:05'));
    expect(copy).toHaveBeenCalledWith('ett två tre');
    await userEvent.click(button('Infoga, i dag 14:05'));
    expect(insert).toHaveBeenCalledWith('ett två tre');
    expect(take).not.toHaveBeenCalled();
  });

  test('is not counted among what waits', () => {
    const { host } = show(
      [],
      queueOf([
        waits({ state: toReview('altered', 'ord') }),
        waits({ dictationId: 'x', id: 'x:0', state: TEXT }),
      ]),
    );
    expect(host.querySelector('.waiting-badge')?.textContent).toBe('1 väntar · 1 att granska');
  });

  test('not inserted yet, it says so beside its text', async () => {
    const state = { kind: 'answered', text: 'ett', needsReview: 'incomplete' } as const;
    const { row, take } = show([], queueOf([waits({ state })]));
    expect(row('w')?.dataset.state).toBe('ready');
    expect(row('w')?.textContent).toContain('ord kan saknas');
    await userEvent.click(button('Infoga, i dag 14:05'));
    expect(take).toHaveBeenCalled();
  });
});

test('what is played gives way to another, and goes on where it was', async () => {
  const { queued } = show(
    [made('a', { startedAtMs: daysAgo(1), durationSamples: 160_000 })],
    queueOf([waits()]),
  );
  const [one, two] = [button('Spela upp, i dag 14:05'), button('Spela upp, i går 14:05')];
  await userEvent.click(one);
  await expect.element(one).toHaveAttribute('aria-pressed', 'true');
  await userEvent.click(two);
  await expect.element(two).toHaveAttribute('aria-pressed', 'true');
  await expect.element(one).toHaveAttribute('aria-pressed', 'false');
  // It is not fetched again.
  await userEvent.click(one);
  await expect.element(two).toHaveAttribute('aria-pressed', 'false');
  expect(queued).toHaveBeenCalledTimes(1);
});

test('nothing is fetched before it is asked for; the newest text is copied and inserted', async () => {
  const { host, dictation, audio, insert, copy } = show([made('a')]);
  const transcripts = vi.spyOn(dictation.recordings, 'transcripts');
  expect(audio).not.toHaveBeenCalled();
  expect(transcripts).not.toHaveBeenCalled();
  await userEvent.click(button('Kopiera, i dag 14:05'));
  await until(() => copy.mock.calls.length === 1);
  expect(copy).toHaveBeenCalledWith('hej på dig du');
  await expect
    .poll(() => host.querySelector('[role="status"]')?.textContent)
    .toBe('Kopierat, i dag 14:05');
  await userEvent.click(button('Infoga, i dag 14:05'));
  await until(() => insert.mock.calls.length === 1);
  expect(insert.mock.calls[0]?.[0]).toBe('hej på dig du');
});

test('opened, an earlier text can be looked at and taken', async () => {
  const { copy, row } = show([made('a', { transcripts: 2 })]);
  await open();
  const text = () => row('a')?.querySelector('.dictation-text')?.textContent;
  await expect.poll(text).toBe('hej på dig du');
  const texts = page.getByLabelText('Version');
  expect(texts.element().textContent).toContain('ny, engelska');
  await userEvent.selectOptions(texts, '0');
  await expect.poll(text).toBe('hej du');
  await userEvent.click(button('Kopiera, i dag 14:05'));
  await until(() => copy.mock.calls.length === 1);
  expect(copy).toHaveBeenCalledWith('hej du');
});

test('what was heard before the rules can be seen, and the rules applied again', async () => {
  const ruled = { ...FIRST, text: 'Hej du.', heard: 'Eh, hej du.' };
  const { dictation, host } = show([made('a', { transcripts: 1 })]);
  vi.spyOn(dictation.recordings, 'transcripts').mockResolvedValue([ruled]);
  const apply = vi.spyOn(dictation.recordings, 'applyRules').mockResolvedValue(true);
  await open();
  const heard = page.getByText('Eh, hej du.');
  const toggle = button('Visa vad som hördes, i dag 14:05');
  await expect.element(toggle).toHaveAttribute('aria-expanded', 'false');
  await expect.element(heard).not.toBeVisible();
  await userEvent.click(toggle);
  await expect.element(heard).toBeVisible();
  await userEvent.click(button('Använd reglerna igen, i dag 14:05'));
  await expect.poll(() => apply.mock.calls).toEqual([['a']]);
  await expect.poll(() => host.textContent).toContain('Reglerna har använts');
});

describe('the words of a text', () => {
  const said = 'Ge inte Waran, 25 mg, utan ge';
  const words = [
    ...said.split(' '),
    ...Array.from({ length: 33 }, (_, at) => `o${'r'.repeat(at)}d`),
  ];
  const certainties: Readonly<Record<string, number>> = {
    inte: 0.5,
    'Waran,': 0.6,
    orrrd: 0.4,
    orrrrd: 0.55,
  };
  const TIMED: Transcript = {
    ...FIRST,
    text: words.join(' '),
    times: words.map((word, at) => {
      const certainty = certainties[word] ?? 0.97;
      // As the rules wrote it.
      if (word === 'mg,') return { startMs: 100 * at, endMs: 100 * at };
      return { startMs: 100 * at, endMs: 100 * at + 90, certainty };
    }),
  };

  async function openTimed(transcript: Transcript, marksUnsure = true) {
    const shown = show([made('a', { durationSamples: 160_000 })], {}, marksUnsure);
    vi.spyOn(shown.dictation.recordings, 'transcripts').mockResolvedValue([transcript]);
    await open();
    const shownWords = () => [...shown.host.querySelectorAll<HTMLElement>('.heard-words > *')];
    return { ...shown, shownWords };
  }

  test('play from their place, and those that may be misheard are marked', async () => {
    const { host, shownWords, row } = await openTimed(TIMED);
    await expect.poll(() => shownWords().length).toBe(words.length);
    expect(host.querySelector('.dictation-text')?.textContent).toBe(TIMED.text);
    const marked = [...host.querySelectorAll('mark')].map((each) => each.textContent);
    // Of others only the least certain few; a negation and a medicine sooner.
    expect(marked).toEqual(['inte', 'Waran,', 'orrrd']);
    expect(host.textContent).toContain('De markerade kan vara felhörda.');
    const media = vi.spyOn(HTMLMediaElement.prototype, 'currentTime', 'set');
    onTestFinished(() => media.mockRestore());
    await userEvent.click(shownWords()[38]!);
    await expect.poll(() => media.mock.calls).toEqual([[3.8]]);
    await expect
      .poll(() => row('a')?.querySelector('.seek span')?.textContent)
      .toMatch(/^0:0[4-9]/);
    // While it plays, another word goes on from there.
    await userEvent.click(shownWords()[10]!);
    await expect.poll(() => media.mock.calls.at(-1)).toEqual([1]);
  });

  test.each([true, false])(
    'are not marked where no certainty is told, or none wanted',
    async (marks) => {
      const untold = TIMED.times!.map(
        (time) => time && { startMs: time.startMs, endMs: time.endMs },
      );
      const times = marks ? untold : TIMED.times!;
      const { host, shownWords } = await openTimed({ ...TIMED, times }, marks);
      await expect.poll(() => shownWords().length).toBe(words.length);
      expect(host.querySelector('mark')).toBeNull();
      expect(host.textContent).not.toContain('De markerade');
    },
  );

  test('are the text alone where nothing is known of their times', async () => {
    const { host, shownWords } = await openTimed(FIRST);
    await expect.poll(() => host.querySelector('.dictation-text')?.textContent).toBe('hej du');
    expect(shownWords()).toEqual([]);
  });
});

test('it is played and gone through with the keyboard, and kept as a file', async () => {
  const { audio, row } = show([made('a', { durationSamples: 160_000 })]);
  const play = button('Spela upp, i dag 14:05');
  await userEvent.click(play);
  await expect.element(play).toHaveAttribute('aria-pressed', 'true');
  const bar = page.getByRole('slider', { name: 'Plats i ljudet, i dag 14:05' });
  await userEvent.click(play);
  await expect.element(play).toHaveAttribute('aria-pressed', 'false');
  (bar.element() as HTMLElement).focus();
  await userEvent.keyboard('{Home}{ArrowRight}{ArrowRight}');
  await expect.element(bar).toHaveAttribute('aria-valuetext', '0:01 av 0:10');
  expect(row('a')?.querySelector('.seek span')?.textContent).toBe('0:01 / 0:10');
  const names = savedNames();
  await open();
  await userEvent.click(button('Ladda ner ljudet, i dag 14:05'));
  await until(() => names.length === 1);
  expect(names[0]).toMatch(/^Diktering \d{4}-\d\d-\d\d 14\.05\.wav$/);
  expect(audio).toHaveBeenCalledTimes(2);
});

describe('written down again', () => {
  test.each([
    ['empty', 'Servern hörde inga ord i talet. Lyssna och försök igen.'],
    ['incomplete', 'Servern kunde inte läsa allt ljud, så ord kan saknas i texten.'],
    ['altered', 'Sidan ändrade texten när den infogades. Här är hela texten.'],
  ] as const)(
    'a doubtful text (%s) says why, with the remedy beside it',
    async (needsReview, why) => {
      const { again, row } = show([made('a', { needsReview })]);
      expect(row('a')?.querySelector('.dictation-why')?.textContent).toContain(why);
      await userEvent.click(button('Gör om till text, i dag 14:05'));
      expect(again.mock.calls).toEqual([['a', {}]]);
    },
  );

  test('in another language, of those that the server knows, its own first', async () => {
    const { again } = show([made('a')], {
      server: { kind: 'ready', engine: '', model: '', languages: ['sv', 'en'], engines: [] },
    });
    await open();
    const language = page.getByLabelText('Språk');
    const names = [...language.element().querySelectorAll('option')].map((each) => each.label);
    expect(names).toEqual(['Automatiskt', 'svenska', 'engelska']);
    await expect.element(language).toHaveValue('sv');
    await userEvent.selectOptions(language, 'en');
    await userEvent.click(button('Gör om till text, i dag 14:05'));
    await userEvent.selectOptions(language, '');
    await userEvent.click(button('Gör om till text, i dag 14:05'));
    expect(again.mock.calls).toEqual([
      ['a', { language: 'en' }],
      ['a', { language: '' }],
    ]);
  });

  test('under way, failed for now, refused: each is said, and refused has its remedy', async () => {
    const rewriting = { askedAtMs: 0, options: OPTIONS, error: null, isRefused: false };
    const failed = { code: 'http-network', message: '' } as const;
    const { row } = show([
      made('a', { needsReview: 'empty', rewriting }),
      made('b', { rewriting: { ...rewriting, error: failed } }),
      made('c', { rewriting: { ...rewriting, error: failed, isRefused: true } }),
    ]);
    expect(row('a')?.querySelector('.dictation-state')?.textContent).toBe('Görs om till text');
    expect(row('a')?.querySelector('.dictation-why button')).toBeNull();
    expect(row('b')?.querySelector('.dictation-state')?.textContent).toBe(
      'Görs om till text. Servern svarar inte',
    );
    expect(row('c')?.querySelector('.dictation-state')).toBeNull();
    expect(row('c')?.querySelector('.dictation-why')?.textContent).toContain(
      'Servern tar inte emot ljudet',
    );
    expect(row('c')?.querySelector('.dictation-why button')).not.toBeNull();
  });

  test('what cannot be is said, and so is what fails', async () => {
    const { again, copy, row } = show([made('a', { needsReview: 'empty' })]);
    again.mockResolvedValue(false);
    await userEvent.click(button('Gör om till text, i dag 14:05'));
    await until(() => row('a')?.querySelector('[role="alert"]'));
    copy.mockRejectedValueOnce(new Error('no'));
    again.mockResolvedValue(true);
    await userEvent.click(button('Gör om till text, i dag 14:05'));
    await until(() => !row('a')?.querySelector('[role="alert"]'));
    await userEvent.click(button('Kopiera, i dag 14:05'));
    await until(() => row('a')?.querySelector('[role="alert"]'));
  });

  test('a text that comes while the row is open is shown', async () => {
    const { dictation, row } = show([made('a')]);
    await open();
    await until(() => row('a')?.querySelector('.dictation-text'));
    const third = { ...SECOND, text: 'tredje gången' };
    vi.spyOn(dictation.recordings, 'transcripts').mockResolvedValue([FIRST, SECOND, third]);
    dictation.set({ recordings: madeRecordings([made('a', { transcripts: 3 })]) });
    await expect
      .poll(() => row('a')?.querySelector('.dictation-text')?.textContent)
      .toBe('tredje gången');
  });
});

describe('the bin', () => {
  const three = () => [
    made('a'),
    made('b', { startedAtMs: daysAgo(1) }),
    made('c', { startedAtMs: daysAgo(2) }),
  ];

  test('a deleted row gives its place to a way back, with the focus; back, the row has it', async () => {
    const { host, row } = show(three());
    await open('i går 14:05');
    (button('Ta bort, i går 14:05').element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    await until(() => host.querySelector('.bin-line'));
    expect(row('b')).toBeNull();
    expect(host.querySelector('li:nth-child(2)')?.textContent).toContain(
      'Dikteringen är borttagen.',
    );
    expect(document.activeElement).toBe(button('Ångra, i går 14:05').element());
    expect(host.querySelector('[role="status"]')?.textContent).toBe(
      'i går 14:05: Dikteringen är borttagen.',
    );
    expect(host.querySelector('h2')?.textContent).toBe('Dikteringar 2');
    await userEvent.keyboard('{Enter}');
    await until(() => row('b'));
    expect(host.querySelector('.bin-line')).toBeNull();
    expect(document.activeElement).toBe(button('Visa mer, i går 14:05').element());
  });

  test('when its time is over, the focus is not lost', async () => {
    const { host, dictation } = show(three());
    await open();
    await userEvent.click(button('Ta bort, i dag 14:05'));
    await until(() => document.activeElement?.closest('.bin-line'));
    dictation.set({ recordings: madeRecordings(three().slice(1)) });
    await until(() => !host.querySelector('.bin-line'));
    expect(document.activeElement).toBe(host.querySelector('h2'));
  });

  test('all: what it takes is said first, the safe answer has the focus; then one line for all', async () => {
    const { host, dictation, row } = show([
      made('now', { state: { kind: 'recording' } }),
      ...three(),
      made('d', { startedAtMs: daysAgo(3), state: { kind: 'waiting' } }),
    ]);
    const wipe = vi.spyOn(dictation, 'wipe');
    await userEvent.click(button('Ta bort alla'));
    const dialog = await until(() => host.querySelector('dialog[open]'));
    expect(dialog?.querySelector('p')?.textContent).toBe(
      '4 dikteringar tas bort, ljud och text: 13 min 20 s, 3,2 MB. 1 är inte text än. ' +
        'Pågående inspelning påverkas inte, inte heller det som en annan flik väntar på. Du kan ångra i 30 sekunder.',
    );
    expect(document.activeElement?.textContent).toBe('Behåll');
    await userEvent.keyboard('{Enter}');
    await until(() => !host.querySelector('dialog'));
    expect(wipe).not.toHaveBeenCalled();
    await userEvent.click(button('Ta bort alla'));
    await until(() => host.querySelector('dialog[open]'));
    await userEvent.keyboard('{Tab}{Enter}');
    await until(() => host.querySelector('.bin-line'));
    expect(host.querySelectorAll('.bin-line')).toHaveLength(1);
    expect(host.querySelector('.bin-line')?.textContent).toContain('4 dikteringar är borttagna.');
    expect(row('now')).not.toBeNull();
    await expect.poll(() => document.activeElement?.closest('.bin-line')).not.toBeNull();
    await userEvent.keyboard('{Enter}');
    await until(() => row('d'));
    expect(host.querySelector('.bin-line')).toBeNull();
    expect(host.querySelector('[role="status"]')?.textContent).toBe(
      '4 dikteringar är återställda.',
    );
  });

  test('a wish for the focus takes it from nobody who has gone on', async () => {
    const { host, dictation } = show(three());
    const field = document.body.appendChild(document.createElement('textarea'));
    onTestFinished(() => field.remove());
    // It has its place in another tab: nothing happens.
    vi.spyOn(dictation.recordings, 'delete').mockResolvedValue();
    await open();
    await userEvent.click(button('Ta bort, i dag 14:05'));
    await userEvent.click(field);
    const binned = { state: { kind: 'in-bin' } } as const;
    dictation.set({ recordings: madeRecordings([made('a', binned), ...three().slice(1)]) });
    await until(() => host.querySelector('.bin-line'));
    expect(document.activeElement).toBe(field);
  });

  test('an undoing that fails is said', async () => {
    const { host, dictation } = show([made('a', { state: { kind: 'in-bin' } })]);
    vi.spyOn(dictation.recordings, 'undoDelete').mockRejectedValue(new Error('no'));
    await userEvent.click(button('Ångra, i dag 14:05'));
    await until(() => host.querySelector('.bin-line [role="alert"]'));
  });
});

describe('where there is nothing to list', () => {
  const notes = (host: HTMLElement) =>
    [...host.querySelectorAll('.dictation-note')].map((note) => note.textContent);

  test('none, not read yet, refused, not kept: each in a sentence', () => {
    expect(notes(show([]).host)).toEqual(['Inga dikteringar än.']);
    const empty = madeRecordings([]);
    const isLoaded = { ...empty, isLoaded: false };
    expect(notes(show([], { recordings: isLoaded }).host)).toEqual(['Läser …']);
    const error = { code: 'storage-failed', message: '' } as const;
    expect(notes(show([], { recordings: { ...empty, error } }).host)).toEqual([
      'Inspelningar kan inte sparas på datorn just nu. Det du dikterar blir text ändå.',
    ]);
    const keeping = { ...DEFAULT_KEEPING, keepRecordings: 0 };
    expect(notes(show([], { recordings: { ...empty, keeping } }).host)).toEqual([
      'Inspelningar tas bort när texten har kommit.',
    ]);
  });
});

test('who opens it before the worker has begun has it begin', async () => {
  const dictation = createStillDictation();
  const prepare = vi.spyOn(dictation, 'prepare');
  const { recordings } = dictation.getSnapshot();
  expect(recordings.isLoaded).toBe(false);
  const props = { insert: async () => true as const, copy: async () => true };
  render(<DictationList dictation={dictation} {...props} />);
  await expect.poll(() => prepare.mock.calls.length).toBe(1);
});

test('hundreds come a page at a time', async () => {
  const { host } = show([], { recordings: manyRecordings(300) });
  expect(host.querySelectorAll('li')).toHaveLength(20);
  await userEvent.click(button('Visa 20 till'));
  expect(host.querySelectorAll('li')).toHaveLength(40);
});

test('what was said is searched for, and not found', async () => {
  const { host } = show([], { recordings: manyRecordings(30) });
  const [wanted] = [...host.querySelectorAll('.dictation-words')].map(
    ({ textContent }) => textContent ?? '',
  );
  const search = host.querySelector<HTMLInputElement>('input[type="search"]')!;
  giveText(search, wanted?.toUpperCase() ?? '');
  const words = () =>
    [...host.querySelectorAll('.dictation-words')].map(({ textContent }) => textContent);
  await expect.poll(() => new Set(words())).toEqual(new Set([wanted]));
  giveText(search, 'det här har ingen sagt');
  await expect.poll(() => host.textContent).toContain('Ingen diktering har de orden.');
  expect(words()).toEqual([]);
});

test('times and lengths in words', () => {
  const now = new Date(2026, 2, 1, 0, 30);
  const at = (...when: [number, number, number, number, number]) =>
    whenText('sv', new Date(...when), now);
  expect(at(2026, 2, 1, 0, 5)).toBe('i dag 00:05');
  expect(at(2026, 1, 28, 23, 59)).toBe('i går 23:59');
  expect(at(2026, 1, 27, 9, 12)).toBe('27 feb. 09:12');
  expect(at(2025, 1, 27, 9, 12)).toBe('27 feb. 2025 09:12');
  expect([400, 59_600, 200_000, 3_600_000, 3_900_000].map(durationText)).toEqual([
    '1 s',
    '1 min',
    '3 min 20 s',
    '1 h',
    '1 h 5 min',
  ]);
});
