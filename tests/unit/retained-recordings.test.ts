import { describe, expect, test, vi } from 'vitest';
import type { Transcript } from '../../src/core/recordings/recording.ts';
import { type MadeBrowser, type MadePage, openMadeBrowser } from '../helpers/made-browser.ts';
import { NOBODY } from '../simulator/owners.ts';
import { wordsIn } from '../simulator/words.ts';

// The page's list of recordings, with the real page, worker and store in a simulated browser.
// `deletion` has deleting and the bin.

// Minutes of a made browser, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const HOUR_MS = 3_600_000;

function open(freePieces = false, tellsTimes = false) {
  const browser = openMadeBrowser(1, freePieces, tellsTimes);
  return { browser, page: browser.openPage() };
}

async function record(browser: MadeBrowser, page: MadePage, ms = 2_000, chunkMs?: number) {
  const options = chunkMs === undefined ? {} : { chunkMs };
  expect(await browser.settle(page.start(options))).toEqual({ ok: true });
  browser.speak(true);
  await browser.pass(ms);
  browser.speak(false);
  await browser.pass(800);
}

async function dictate(browser: MadeBrowser, page: MadePage, ms = 2_000, chunkMs?: number) {
  await record(browser, page, ms, chunkMs);
  await browser.settle(page.dictation.stop());
  await browser.pass(1_000);
}

const state = (page: MadePage) => page.dictation.getSnapshot().recordings;
const first = (page: MadePage) => state(page).list[0];
const waiting = (page: MadePage) => page.dictation.getSnapshot().queue.items;

async function texts(browser: MadeBrowser, page: MadePage, id = 's0'): Promise<string[][]> {
  const all = await browser.settle(page.dictation.recordings.transcripts(id));
  return all.map(({ text }) => wordsIn(text));
}

test('thrown away on a page that goes before that cannot be undone, it lies in the next one’s bin', async () => {
  const { browser, page } = open();
  await record(browser, page);
  page.dictation.cancel();
  await browser.pass(2_000);
  page.close();
  const next = browser.openPage();
  await browser.pass(5_000);
  expect(state(next).list).toMatchObject([{ id: 's0', state: { kind: 'in-bin' } }]);
  expect(waiting(next)).toEqual([]);
  await browser.settle(next.dictation.recordings.undoDelete('s0'));
  await browser.pass(5_000);
  expect(await texts(browser, next)).toEqual([page.spoken]);
  expect([page.field, next.field]).toEqual([[], []]);
});

test('a recording is whole: every sample, whatever was said in it, and its text once, in order', async () => {
  const { browser, page } = open();
  await record(browser, page, 60_000, 10_000);
  const { accumulatedRecordingMs } = page.dictation.getSnapshot().session;
  await browser.pass(70_000);
  await browser.settle(page.dictation.stop());
  await browser.pass(2_000);
  expect(first(page)).toMatchObject({
    id: 's0',
    state: { kind: 'delivered' },
    transcripts: 1,
    rewriting: null,
    needsReview: null,
  });
  expect(first(page)?.firstWords.startsWith('0.')).toBe(true);
  const samples = first(page)?.durationSamples ?? 0;
  expect(samples).toBeGreaterThan((accumulatedRecordingMs + 69_000) * 16);
  expect(state(page).usedBytes).toBe(first(page)?.bytes);
  const audio = await browser.settle(page.dictation.recordings.audio('s0'));
  // The made sound is of 32-bit floats.
  expect(audio?.bytes.byteLength).toBe(4 * samples);
  expect(await browser.settle(page.dictation.recordings.audio('other'))).toBeNull();
  expect(await texts(browser, page)).toEqual([page.spoken]);
});

test('what waits in the queue makes it wait, and a text that may not be all is marked', async () => {
  const { browser, page } = open();
  browser.faults.server = 'down';
  await dictate(browser, page, 3_000);
  await browser.pass(20_000);
  expect(first(page)?.state).toEqual({ kind: 'waiting' });
  browser.faults.server = 'incomplete';
  await browser.pass(120_000);
  expect(first(page)).toMatchObject({ state: { kind: 'delivered' }, needsReview: 'incomplete' });
  expect((await texts(browser, page))[0]).toEqual(page.field);
});

test('a day later it is gone, and what waits is not; with no hours nothing is kept at all', async () => {
  const { browser, page } = open();
  await dictate(browser, page);
  browser.faults.server = 'unauthorised';
  await dictate(browser, page);
  await browser.pass(23.5 * HOUR_MS);
  expect(state(page).list.map(({ id }) => id)).toEqual(['s1', 's0']);
  await browser.pass(HOUR_MS);
  expect(state(page).list.map(({ id }) => id)).toEqual(['s1']);
  browser.faults.server = null;
  page.dictation.retry(null);
  await browser.pass(5_000);
  page.dictation.recordings.keep({ keepRecordings: 0 });
  await dictate(browser, page);
  await browser.pass(60_000);
  expect(state(page).list).toEqual([]);
  expect(browser.stored()).toEqual([]);
});

test('one whose page dies is completed from its journal, once, and has ended', async () => {
  const { browser, page } = open();
  await record(browser, page, 70_000);
  page.close();
  const [next, other] = [browser.openPage(), browser.openPage()];
  await browser.pass(60_000);
  for (const each of [next, other]) {
    expect(first(each)).toMatchObject({ id: 's0', state: { kind: 'waiting' } });
    expect(first(each)?.durationSamples).toBeGreaterThan(70_000 * 16);
    expect(first(each)?.durationSamples).toBeLessThan(72_000 * 16);
  }
  expect(await browser.settle(next.dictation.takeText('s0', async () => true))).toBe(true);
  await browser.pass(2_000);
  expect(first(other)?.state).toEqual({ kind: 'delivered' });
  expect(await texts(browser, other)).toEqual([page.spoken]);
});

test('what another page records is shown as that, and no longer when it has ended', async () => {
  const { browser, page } = open();
  const other = browser.openPage();
  await record(browser, page, 65_000);
  expect(first(other)?.state).toEqual({ kind: 'recording' });
  await browser.settle(page.dictation.stop());
  await browser.pass(2_000);
  expect(first(other)?.state).toEqual({ kind: 'delivered' });
});

test('written down again, all of it goes, in pieces that a server takes, and nothing is offered', async () => {
  const { browser, page } = open();
  await dictate(browser, page, 120_000);
  const asked = browser.asked.length;
  const { recordings } = page.dictation;
  expect(await browser.settle(recordings.transcribeAgain('s0', { language: 'fi' }))).toBe(true);
  await browser.pass(30_000);
  expect(first(page)).toMatchObject({ transcripts: 2, rewriting: null });
  expect(browser.asked.slice(asked)).toEqual(page.spoken);
  expect(waiting(page)).toEqual([]);
  const [, again] = await browser.settle(recordings.transcripts('s0'));
  expect(again?.by).toMatchObject({ kind: 'again', language: 'fi' });
  expect(again?.text.split('\n').length).toBeGreaterThan(1);
  expect(page.field, 'it goes nowhere by itself').toEqual(page.spoken);
});

test.each([0, 100, 2_000, 20_000])(
  'what was asked for survives its page, dead after %i ms, and comes once',
  async (ms) => {
    const { browser, page } = open();
    await dictate(browser, page, 120_000);
    browser.faults.server = 'late';
    await browser.settle(page.dictation.recordings.transcribeAgain('s0'));
    await browser.pass(ms);
    page.close();
    const next = browser.openPage();
    await browser.pass(5_000);
    browser.faults.server = null;
    await browser.pass(180_000);
    expect(await texts(browser, next)).toEqual([page.spoken, page.spoken]);
    expect([waiting(next), first(next)?.rewriting]).toEqual([[], null]);
  },
);

test('what was heard stays with a text, and the rules can be applied to it anew', async () => {
  const { browser, page } = open();
  await dictate(browser, page, 1_000);
  const { recordings } = page.dictation;
  expect(await browser.settle(recordings.applyRules('s0'))).toBe(true);
  expect(first(page)?.transcripts, 'nothing has changed').toBe(1);
  page.close();
  const next = browser.openPage(NOBODY, { replacements: [{ say: '0.3', write: 'tre' }] });
  await browser.pass(2_000);
  expect(await browser.settle(next.dictation.recordings.applyRules('s0'))).toBe(true);
  const [, anew] = await browser.settle(next.dictation.recordings.transcripts('s0'));
  expect(anew).toMatchObject({ by: { kind: 'rules' }, heard: page.spoken.join(' ') });
  expect(wordsIn(anew?.text ?? '')).toContain('tre');
  expect(await browser.settle(next.dictation.recordings.applyRules('other'))).toBe(false);
});

test('what the server refuses is said, and asking anew takes its place', async () => {
  const { browser, page } = open();
  await dictate(browser, page);
  const { recordings } = page.dictation;
  browser.faults.server = 'rejects';
  await browser.settle(recordings.transcribeAgain('s0'));
  await browser.pass(2_000);
  expect(first(page)?.rewriting).toMatchObject({ isRefused: true });
  browser.faults.server = 'down';
  await browser.settle(recordings.transcribeAgain('s0'));
  await browser.pass(8_000);
  expect(first(page)?.rewriting).toMatchObject({ isRefused: false, error: expect.anything() });
  browser.faults.server = null;
  await browser.pass(120_000);
  expect(first(page)).toMatchObject({ transcripts: 2, rewriting: null });
  expect(await browser.settle(recordings.transcribeAgain('other'))).toBe(false);
  await browser.settle(recordings.delete('s0'));
  expect(await browser.settle(recordings.transcribeAgain('s0'))).toBe(false);
});

test('on a full disk what is delivered makes room for what is being said', async () => {
  const { browser, page } = open();
  await dictate(browser, page, 20_000);
  const used = state(page).usedBytes;
  browser.faults.capacity = 1.8 * used;
  await record(browser, page, 20_000);
  expect(page.dictation.getSnapshot().session.isRecording).toBe(true);
  await browser.settle(page.dictation.stop());
  await browser.pass(5_000);
  expect(page.field).toEqual(page.spoken);
  expect(state(page).list.map(({ id }) => id)).toEqual(['s1']);
});

test('where storage is refused the list says why, and texts come all the same', async () => {
  const browser = openMadeBrowser();
  browser.faults.store = () => 'refused';
  const page = browser.openPage();
  await dictate(browser, page);
  expect(page.field).toEqual(page.spoken);
  expect(state(page)).toMatchObject({ list: [], isLoaded: false });
  expect(state(page).error).not.toBeNull();
});

describe('words have their places in the sound that is retained', () => {
  // A frame is a word: it says by itself when it was spoken.
  const spokenMs = (word: string) => 96 * Number(word.split('.')[1]) + 48;
  const differences = (transcript: Transcript) =>
    (transcript.text.match(/\S+/g) ?? []).map(
      (word, at) => (transcript.times?.[at]?.startMs ?? Number.NaN) - spokenMs(word),
    );

  test.each([false, true])('chunk by chunk, and written again (pieces: %s)', async (freePieces) => {
    const { browser, page } = open(freePieces, true);
    await record(browser, page, 12_000, 5_000);
    await browser.pass(4_000);
    browser.speak(true);
    await browser.pass(3_000);
    browser.speak(false);
    await browser.settle(page.dictation.stop());
    await browser.pass(2_000);
    const { recordings } = page.dictation;
    await browser.settle(recordings.transcribeAgain('s0', {}));
    await browser.pass(5_000);
    const all = await browser.settle(recordings.transcripts('s0'));
    expect(all).toHaveLength(2);
    for (const transcript of all) {
      expect(transcript.times?.length).toBeGreaterThan(100);
      expect(new Set(differences(transcript)).size, `${differences(transcript)}`).toBe(1);
      expect(Math.abs(differences(transcript)[0]!)).toBeLessThan(96);
    }
    expect(all[0]?.times?.[0]?.certainty).toBe(0.5);
  });

  test('as the rules wrote them; none where the server tells none, or of other words', async () => {
    const { browser, page } = open(false, true);
    browser.faults.hears = (words) => `eh ${words} inte`;
    await dictate(browser, page);
    const [first] = await browser.settle(page.dictation.recordings.transcripts('s0'));
    expect(first?.times).toHaveLength(wordsIn(first!.text).length);
    const silent = openMadeBrowser();
    const other = silent.openPage();
    await dictate(silent, other);
    const [untold] = await silent.settle(other.dictation.recordings.transcripts('s0'));
    expect(untold).not.toHaveProperty('times');
  });
});

test('a piece that goes in while its worker is gone stands in the text of its recording', async () => {
  const browser = openMadeBrowser(1, true);
  const page = browser.openPage();
  const pieces: string[] = [];
  let goIn = (): void => {};
  const inField = new Promise<boolean>((resolve) => {
    goIn = () => resolve(true);
  });
  await browser.settle(
    page.start({
      live: true,
      insert: 'at-pause',
      deliverPiece(text) {
        pieces.push(...wordsIn(text));
        return inField;
      },
    }),
  );
  browser.speak(true);
  await browser.pass(3_000);
  browser.speak(false);
  for (let ms = 0; pieces.length === 0 && ms < 5_000; ms += 50) await browser.pass(50);
  expect(pieces).not.toEqual([]);
  browser.faults.script = 'fails';
  page.killWorker();
  await browser.pass(500);
  goIn();
  await browser.pass(12_000);
  browser.faults.script = null;
  await browser.pass(8_000);
  await browser.settle(page.dictation.stop());
  await browser.pass(2_000);
  expect(await texts(browser, page)).toEqual([page.spoken]);
});
