import { expect, onTestFinished, test } from 'vitest';
import { page } from 'vitest/browser';
import { App } from '../../src/page/App.tsx';
import { EARLIER_NOTES_KEY } from '../../src/page/draft.ts';
import { createSettingsStore } from '../../src/page/settings.ts';
import { madeRecording, madeRecordings } from '../catalogue/states.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { NO_MICROPHONES } from '../helpers/no-microphones.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { putLanguageBack, render } from '../helpers/render.tsx';
import { until } from '../helpers/until.ts';

// Faults of layout that were found by looking at pictures of the page.

async function open(width: number) {
  await page.viewport(width, 720);
  putLanguageBack();
  onTestFinished(async () => {
    localStorage.clear();
    await page.viewport(1_000, 800);
  });
  const dictation = createFakeDictation();
  const settings = createSettingsStore(null);
  settings.change({ interfaceLanguage: 'sv', isKeepingTold: true });
  const { host } = render(
    <App dictation={dictation} microphones={NO_MICROPHONES} settings={settings} />,
  );
  const find = (selector: string) => until(() => host.querySelector<HTMLElement>(selector));
  // The parts that come when the page is at rest.
  await find('.open-file');
  return { dictation, host, find };
}

const box = (element: HTMLElement | null) => element!.getBoundingClientRect();

test.each(['1 väntar', '1 väntar · 1 att granska'])(
  'the head of a page of 320 px holds all its buttons: %s',
  async (told) => {
    const { dictation, find } = await open(320);
    dictation.setQueue([
      makeQueueItem({ id: 'a', dictationId: 'a' }),
      ...(told.includes('granska')
        ? [
            makeQueueItem({
              id: 'b',
              dictationId: 'b',
              state: { kind: 'delivered', hasAudio: true, needsReview: 'empty', text: '' },
            }),
          ]
        : []),
    ]);
    expect((await find('.page-head .waiting-badge'))?.textContent).toBe(told);
    const head = box(await find('.page-head'));
    for (const button of document.querySelectorAll<HTMLElement>('.page-head button')) {
      expect(box(button).right).toBeLessThanOrEqual(head.right + 1);
      expect(box(button).left).toBeGreaterThanOrEqual(head.left);
      expect(box(button).width).toBeGreaterThanOrEqual(43.9);
    }
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
    await expect.element(page.getByRole('heading', { name: 'Diktera' })).toBeInTheDocument();
  },
);

test('a level is seen on the smallest telephone, too', async () => {
  const { dictation, find } = await open(320);
  await dictation.start();
  const meter = await find('.note-foot .level-meter');
  expect(box(meter!).width).toBeGreaterThanOrEqual(24);
  const foot = box(await find('.note-foot'));
  const tools = [...document.querySelectorAll<HTMLElement>('.foot-tools button')];
  expect(tools.map((each) => box(each).right <= foot.right)).toEqual([true, true]);
  expect(box(tools[0]!).left).toBeGreaterThanOrEqual(box(meter!).right);
});

test('earlier notes stand below the dictations, also when those are unfolded', async () => {
  const note = { text: 'Förra.', savedAtMs: Date.now() - 60_000, account: null };
  localStorage.setItem(EARLIER_NOTES_KEY, JSON.stringify([note]));
  const { dictation, find } = await open(1_000);
  dictation.set({ recordings: madeRecordings([madeRecording({ id: 'a' })]) });
  const summary = await find('#dictations summary');
  summary?.click();
  const row = await find('[data-dictation="a"]');
  const earlier = await find('.earlier');
  const list = row?.closest<HTMLElement>('.dictations') ?? null;
  await expect.poll(() => box(earlier).top - box(list).bottom).toBeLessThan(80);
  // The list can still stand at the top, below the foot.
  const { scrollHeight } = document.documentElement;
  const top = box(await find('#dictations')).top + scrollY;
  expect(scrollHeight - top).toBeGreaterThan(720 - 120);
});

test.each([320, 1_000])(
  'below a long note (%i px) trouble is in sight, and so is its end',
  async (width) => {
    const { dictation, host, find } = await open(width);
    const field = (await find('.field-text'))!;
    field.append('En rad till i en lång anteckning.\n'.repeat(80));
    field.scrollTop = field.scrollHeight;
    await find('.note-foot button:not([aria-disabled="true"])');
    const foot = box(host.querySelector('.note-foot')).top;
    expect(box(field).bottom).toBeLessThanOrEqual(foot + 1);
    dictation.setNotices([{ kind: 'microphone-lost', error: null }]);
    const notice = await find('.notice');
    expect(box(notice!).bottom).toBeLessThanOrEqual(foot);
    await expect
      .poll(() => field.scrollHeight - field.clientHeight - field.scrollTop)
      .toBeLessThanOrEqual(1);
  },
);

test('320 px at twice the size: nothing is cut off at the side', async () => {
  const { dictation, host, find } = await open(160);
  const fits = () => expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(160);
  fits();
  await dictation.start({ deliver: () => true });
  await find('.note-foot .level-meter');
  fits();
  for (const button of host.querySelectorAll<HTMLElement>('.note-foot button, nav button')) {
    expect(box(button).right).toBeLessThanOrEqual(160);
  }
  dictation.cancel();
  await find('.foot-undo');
  fits();
});
