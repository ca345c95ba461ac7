import { createRoot } from 'react-dom/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import type { DeliveryVerdict, Dictation } from '../../src/core/contracts/dictation.ts';
import type { QueueItemHead, QueueItemState, TextDoubt } from '../../src/core/queue/queue-item.ts';
import type { KeptRecording } from '../../src/core/session/kept-recording.ts';
import { INITIAL_SNAPSHOT, type Snapshot } from '../../src/core/session/snapshot.ts';
import { WaitingBadge } from '../../src/page/WaitingBadge.tsx';
import { WaitingList } from '../../src/widget/WaitingList.tsx';
import { writeWav } from '../../workers/audio/wav-file.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { until } from '../helpers/until.ts';

const TEXT = { kind: 'transcribed', text: 'hej på dig', doubt: null } as const;
const FAILED: QueueItemState = {
  kind: 'waiting',
  nextAttemptAtMs: Date.now() + 120_000,
  lastError: { code: 'http-network', message: 'refused' },
};

/** The list over a queue, and what it asked for. */
function show(items: readonly QueueItemHead[], kept: readonly KeptRecording[] = []) {
  let snapshot: Snapshot = {
    ...INITIAL_SNAPSHOT,
    queue: { ...INITIAL_SNAPSHOT.queue, items, isLoaded: true },
    kept,
  };
  const listeners = new Set<() => void>();
  const set = (next: readonly QueueItemHead[]): void => {
    snapshot = { ...snapshot, queue: { ...snapshot.queue, items: next } };
    for (const listener of listeners) listener();
  };
  const insert = vi.fn(async (_text: string): Promise<DeliveryVerdict> => true);
  const copy = vi.fn(async (_text: string) => true);
  const dictation = {
    getSnapshot: () => snapshot,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retry: vi.fn(),
    discard: vi.fn(),
    retryKept: vi.fn(async () => {}),
    discardKept: vi.fn(),
    wipe: vi.fn(async () => {}),
    takeText: vi.fn((_id: string, give: (text: string) => Promise<boolean>) => give('hej på dig')),
    audio: vi.fn(async () => ({
      type: 'audio/wav' as const,
      bytes: writeWav(new Float32Array(800)),
    })),
  };
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  const shown = dictation as unknown as Dictation;
  root.render(
    <>
      <WaitingBadge dictation={shown} />
      <WaitingList dictation={shown} insert={insert} copy={copy} />
    </>,
  );
  onTestFinished(() => {
    root.unmount();
    host.remove();
  });
  const button = async (name: string, scope: ParentNode = host): Promise<HTMLButtonElement> =>
    until(() =>
      [...scope.querySelectorAll('button')].find((each) => each.textContent?.trim() === name),
    ) as Promise<HTMLButtonElement>;
  return { host, dictation, insert, copy, button, set };
}

const text = (number: number) => makeQueueItem({ sessionId: 'a', number, state: TEXT });

test('one row for each recording, in words, and a badge with their number', async () => {
  const { host } = show([text(0), text(1), makeQueueItem({ sessionId: 'b', state: FAILED })]);
  await until(() => host.querySelectorAll('li').length === 2);
  expect(host.querySelector('.waiting-badge')?.textContent).toBe('2 väntar');
  expect(host.querySelector('li[data-session="a"]')?.textContent).toContain('hej på dig');
  expect(host.querySelector('li[data-session="b"]')?.textContent).toContain(
    'Väntar på nätet, nytt försök om 2 min',
  );
});

test('what could not be encoded has a row of its own, to be heard, tried again and deleted', async () => {
  const kept: KeptRecording = {
    sessionId: 'k',
    startedAtMs: Date.now(),
    durationSamples: 48_000,
    error: { code: 'encoding-failed', message: 'no memory' },
  };
  const { host, dictation, button } = show([], [kept]);
  const row = await until(() => host.querySelector('li[data-session="k"]'));
  expect(row?.textContent).toContain('3 s tal');
  expect(row?.textContent).toContain('Kunde inte göras klart att skickas');
  expect(row?.textContent).not.toContain('Infoga');
  expect(host.querySelector('.waiting-badge')?.textContent).toBe('1 väntar');
  (await button('Försök nu')).click();
  expect(dictation.retryKept).toHaveBeenCalledWith('k');
  (await button('Spela upp')).click();
  expect(dictation.audio).toHaveBeenCalledWith('k');
  (await button('Ta bort')).click();
  const dialog = await until(() => host.querySelector('dialog[open]'));
  expect(dictation.discardKept).not.toHaveBeenCalled();
  (await button('Ta bort', dialog as Element)).click();
  await until(() => dictation.discardKept.mock.calls.length === 1);
});

test('nothing waits: nothing is shown', async () => {
  const { host } = show([]);
  await new Promise(requestAnimationFrame);
  expect(host.textContent).toBe('');
});

test('the text is taken for insertion, copied, tried again; a failure is said', async () => {
  const { host, dictation, insert, copy, button } = show([
    text(0),
    makeQueueItem({ sessionId: 'a', number: 1, state: FAILED }),
  ]);
  (await button('Infoga vid markören')).click();
  expect(dictation.takeText).toHaveBeenCalledWith('a', insert);
  (await button('Kopiera')).click();
  expect(copy).toHaveBeenCalledWith('hej på dig');
  (await button('Försök nu')).click();
  expect(dictation.retry.mock.calls).toEqual([['a:1']]);
  expect(host.querySelector('[role="alert"]')).toBeNull();
  insert.mockResolvedValue(false);
  (await button('Infoga vid markören')).click();
  await until(() => host.querySelector('[role="alert"]'));
});

test('the audio is played and saved as a file', async () => {
  const { host, dictation, button } = show([text(0)]);
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    names.push(this.download);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  (await button('Ladda ner ljudet')).click();
  await until(() => names.length === 1);
  expect(names[0]).toMatch(/^Diktering .*\.wav$/);
  (await button('Spela upp')).click();
  await until(() => dictation.audio.mock.calls.length === 2);
  // It is short, and over by itself.
  await button('Spela upp');
  expect(host.querySelector('[role="alert"]')).toBeNull();
});

test('what is played can be held, gone through with the keyboard, and gives way to another', async () => {
  const { host, dictation, button } = show([
    makeQueueItem({ sessionId: 'a', durationSamples: 160_000 }),
    makeQueueItem({ sessionId: 'b', durationSamples: 160_000 }),
  ]);
  const bytes = writeWav(new Float32Array(160_000));
  dictation.audio.mockImplementation(async () => ({ type: 'audio/wav', bytes }));
  await until(() => host.querySelectorAll('li').length === 2);
  expect(dictation.audio).not.toHaveBeenCalled();
  const [one, two] = host.querySelectorAll('li');
  // A person's press: WebKit plays nothing for a script alone.
  await userEvent.click(await button('Spela upp', one));
  await button('Pausa', one);
  const bar = await until(() => one?.querySelector<HTMLInputElement>('[type="range"]'));
  bar?.focus();
  await userEvent.keyboard('{End}');
  await until(() => bar?.getAttribute('aria-valuetext') === '0:10 av 0:10');
  await userEvent.keyboard('{Home}');
  await until(() => bar?.getAttribute('aria-valuetext') === '0:00 av 0:10');
  await userEvent.click(await button('Spela upp', two));
  await button('Pausa', two);
  // The first is held where it was, and goes on from there without being fetched again.
  await userEvent.click(await button('Spela upp', one));
  await button('Spela upp', two);
  expect(dictation.audio.mock.calls).toEqual([['a'], ['b']]);
});

test('deleting asks first, with the safe answer focused; so does deleting everything', async () => {
  const { host, dictation, button } = show([text(0), text(1)]);
  (await button('Ta bort')).click();
  const dialog = await until(() => host.querySelector('dialog[open]'));
  expect(document.activeElement?.textContent).toBe('Behåll');
  (await button('Behåll', dialog as Element)).click();
  await until(() => !host.querySelector('dialog'));
  expect(dictation.discard).not.toHaveBeenCalled();

  (await button('Ta bort')).click();
  const again = await until(() => host.querySelector('dialog[open]'));
  (await button('Ta bort', again as Element)).click();
  await until(() => !host.querySelector('dialog'));
  expect(dictation.discard.mock.calls).toEqual([['a:0'], ['a:1']]);

  (await button('Radera allt sparat ljud')).click();
  const wipe = await until(() => host.querySelector('dialog[open]'));
  expect(dictation.wipe).not.toHaveBeenCalled();
  (await button('Radera allt sparat ljud', wipe as Element)).click();
  await until(() => dictation.wipe.mock.calls.length === 1);
});

const doubted = (why: TextDoubt, text: string) =>
  makeQueueItem({ sessionId: why, state: { kind: 'doubted', why, text } });

describe('a text that may not be whole', () => {
  test.each<[TextDoubt, string]>([
    ['empty', 'Servern hörde inga ord i talet. Lyssna och försök igen.'],
    ['incomplete', 'Servern kunde inte läsa allt ljud, så ord kan saknas i texten.'],
    ['altered', 'Sidan ändrade texten när den infogades. Här är hela texten.'],
  ])('%s: what happened, in one sentence', async (why, sentence) => {
    const { host } = show([doubted(why, '')]);
    const row = await until(() => host.querySelector('li[data-state="doubted"]'));
    expect(row?.textContent).toContain(sentence);
    expect(row?.textContent).not.toContain('Infoga');
    expect(row?.textContent).not.toContain('Kopiera');
  });

  test('is played, kept as a file, written down anew and deleted', async () => {
    const { dictation, button } = show([doubted('empty', '')]);
    (await button('Spela upp')).click();
    expect(dictation.audio).toHaveBeenCalledWith('empty');
    await button('Ladda ner ljudet');
    (await button('Försök igen')).click();
    expect(dictation.retry.mock.calls).toEqual([['empty:0']]);
    (await button('Ta bort')).click();
    const dialog = await until(() => document.querySelector('dialog[open]'));
    (await button('Ta bort', dialog as Element)).click();
    await until(() => dictation.discard.mock.calls.length === 1);
  });

  test('its words can be had whole, and it stays until the person has done with it', async () => {
    const { host, dictation, insert, copy, button } = show([doubted('altered', 'ett två tre')]);
    const row = await until(() => host.querySelector('li'));
    expect(row?.querySelector('.waiting-text')?.textContent).toBe('ett två tre');
    (await button('Kopiera')).click();
    expect(copy).toHaveBeenCalledWith('ett två tre');
    (await button('Infoga vid markören')).click();
    expect(insert).toHaveBeenCalledWith('ett två tre');
    expect(dictation.takeText).not.toHaveBeenCalled();
  });

  test('is not counted among what waits', async () => {
    const { host } = show([doubted('altered', 'ord'), text(0)]);
    await until(() => host.querySelectorAll('li').length === 2);
    expect(host.querySelector('.waiting-badge')?.textContent).toBe('1 väntar · 1 att se över');
  });

  test('not inserted yet, it says so beside its text', async () => {
    const state = { kind: 'transcribed', text: 'ett', doubt: 'incomplete' } as const;
    const { host, dictation, button } = show([makeQueueItem({ sessionId: 'a', state })]);
    const row = await until(() => host.querySelector('li[data-state="transcribed"]'));
    expect(row?.textContent).toContain('ord kan saknas');
    (await button('Infoga vid markören')).click();
    expect(dictation.takeText).toHaveBeenCalled();
  });
});

test('what failed is said until the dictation has moved on', async () => {
  const { host, insert, button, set } = show([text(0)]);
  insert.mockResolvedValue(false);
  (await button('Infoga vid markören')).click();
  await until(() => host.querySelector('[role="alert"]'));
  set([makeQueueItem({ sessionId: 'a', state: { kind: 'sending' } })]);
  await until(() => host.querySelector('li[data-state="sending"]'));
  expect(host.querySelector('[role="alert"]')).toBeNull();
});
