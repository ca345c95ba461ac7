import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import type { NoticeKind } from '../../src/core/session/snapshot.ts';
import { Notices, playAlarm } from '../../src/widget/Notices.tsx';
import { button, mountField, startRecording } from '../helpers/dictation-field.tsx';
import { mount } from '../helpers/editable-elements.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { render } from '../helpers/render.tsx';

const TITLE = 'Journal';
const ALARM = `⚠ Inget ljud – ${TITLE}`;

const stalled = { kind: 'capture-stalled', error: null } as const;
const away = { kind: 'microphone-away', error: null } as const;
const muted = { kind: 'microphone-muted', error: null } as const;

/** The contexts that were made to sound in. */
let contexts: AudioContext[] = [];

beforeEach(() => {
  const { title } = document;
  onTestFinished(() => {
    document.title = title;
  });
  document.title = TITLE;
  contexts = [];
  const Real = AudioContext;
  vi.stubGlobal(
    'AudioContext',
    class extends Real {
      constructor(options?: AudioContextOptions) {
        super(options);
        contexts.push(this);
      }
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

async function recording() {
  const field = mountField();
  await startRecording(field);
  const seen = () => field.host.querySelector<HTMLElement>('.recording-phase')!;
  return { ...field, seen };
}

test('while no sound comes in: the title, the bar in red, and one short sound', async () => {
  const { dictation, seen } = await recording();
  await expect.poll(seen).not.toBeNull();
  const calm = getComputedStyle(seen()).color;
  dictation.setNotices([stalled]);
  await expect.poll(() => document.title).toBe(ALARM);
  expect(seen().textContent).toBe('Inget ljud');
  expect(getComputedStyle(seen()).color).not.toBe(calm);
  await expect.poll(() => contexts.length).toBe(1);
  await expect.poll(() => contexts[0]!.currentTime).toBeGreaterThan(0);
  dictation.setSession({ accumulatedRecordingMs: 5_000 });
  dictation.setNotices([]);
  await expect.poll(() => document.title).toBe(TITLE);
  expect(seen().textContent).toBe('Lyssnar');
  await expect
    .poll(() => contexts.map(({ state }) => state), { timeout: 3_000 })
    .toEqual(['closed']);
});

test('a microphone that is replaced at once makes no sound; one that stays away does', async () => {
  const { dictation } = await recording();
  dictation.setNotices([away]);
  await expect.poll(() => document.title).toBe(ALARM);
  dictation.setNotices([{ kind: 'microphone-switched', error: null }]);
  await expect.poll(() => document.title).toBe(TITLE);
  dictation.setNotices([away]);
  await expect.poll(() => contexts.length, { timeout: 4_000 }).toBe(1);
});

test('a microphone that the system keeps muted is called out like one that is gone', async () => {
  const { dictation, seen } = await recording();
  dictation.setNotices([muted]);
  await expect.poll(() => document.title).toBe(ALARM);
  await expect.poll(() => seen()?.textContent).toBe('Inget ljud');
  await expect.poll(() => contexts.length, { timeout: 4_000 }).toBe(1);
  dictation.setNotices([]);
  await expect.poll(() => document.title).toBe(TITLE);
});

test('a page that gives itself another title meanwhile keeps it, without the mark', async () => {
  const { dictation, seen } = await recording();
  dictation.setNotices([stalled]);
  await expect.poll(() => document.title).toBe(ALARM);
  document.title = '(1) Inkorg';
  dictation.setSession({ accumulatedRecordingMs: 5_000 });
  expect(document.title).toBe('(1) Inkorg');
  dictation.setNotices([]);
  await expect.poll(() => seen().textContent).toBe('Lyssnar');
  expect(document.title).toBe('(1) Inkorg');
  dictation.setNotices([stalled]);
  await expect.poll(() => document.title).toContain('⚠');
  document.title = `(2) ${document.title}`;
  dictation.setNotices([]);
  await expect.poll(() => document.title).toBe('(2) (1) Inkorg');
});

test('a field that goes away in an alarm leaves the title as it was', async () => {
  const { dictation, draw } = await recording();
  dictation.setNotices([stalled]);
  await expect.poll(() => document.title).toBe(ALARM);
  draw(null);
  await expect.poll(() => document.title).toBe(TITLE);
});

describe('with attachDictation', () => {
  async function attached(toolbar: boolean) {
    const dictation = createFakeDictation();
    const element = mount('<textarea></textarea>');
    const detach = attachDictation(element, { dictation, toolbar });
    onTestFinished(detach);
    const other = attachDictation(mount('<textarea></textarea>'), { dictation });
    onTestFinished(other);
    await userEvent.click(element);
    detach.start();
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
    return dictation;
  }

  test('title, red notice and one sound, however many fields there are', async () => {
    const dictation = await attached(true);
    dictation.setNotices([stalled]);
    await expect.poll(() => document.title).toBe(ALARM);
    const notice = () =>
      [...document.querySelectorAll('diktera-tools')].flatMap((tools) => [
        ...tools.shadowRoot!.querySelectorAll('[role="alert"] [data-notice="capture-stalled"]'),
      ]);
    await expect.poll(notice).toHaveLength(1);
    await expect.poll(() => contexts).toHaveLength(1);
    dictation.setNotices([]);
    await expect.poll(() => document.title).toBe(TITLE);
  });

  test('without the toolbar nothing is shown: the snapshot says it', async () => {
    const dictation = await attached(false);
    dictation.setNotices([stalled]);
    await expect.poll(() => dictation.getSnapshot().notices).toEqual([stalled]);
    expect(document.title).toBe(TITLE);
    expect(contexts).toEqual([]);
  });
});

test.each<[NoticeKind, number, string]>([
  ['capture-gap', 12_340, 'Ljudet bröts en stund (12 s).'],
  ['capture-slept', 3_600_000, 'Datorn var i viloläge (60 min).'],
])('%s says for how long', async (kind, durationMs, words) => {
  const dictation = createFakeDictation();
  const { host } = render(<Notices dictation={dictation} />);
  dictation.setNotices([{ kind, error: null, durationMs }]);
  await expect.poll(() => host.querySelector('strong')?.textContent).toBe(words);
  await userEvent.click(button('', host));
  await expect.poll(() => host.querySelector('.notice')).toBeNull();
});

test('where no sound may be made, nothing breaks', async () => {
  vi.stubGlobal('AudioContext', undefined);
  await playAlarm();
});
