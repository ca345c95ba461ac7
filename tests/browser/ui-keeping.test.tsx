import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { App } from '../../src/page/App.tsx';
import { createSettingsStore } from '../../src/page/settings.ts';
import { madeRecording, madeRecordings } from '../catalogue/states.ts';
import { button, seenToolbar, toolbar } from '../helpers/dictation-field.tsx';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { NO_MICROPHONES } from '../helpers/no-microphones.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { chooseSwedish, openOptions, putLanguageBack, render } from '../helpers/render.tsx';
import { until } from '../helpers/until.ts';

const NOTICE = 'Dikteringar sparas här i 24 timmar, i ett privat fönster tills du stänger det.';
/** The page as somebody opens it, with what was chosen before. */
function openPage() {
  putLanguageBack();
  if (localStorage.getItem('diktera:settings') === null) chooseSwedish();
  const dictation = createFakeDictation();
  const keep = vi.spyOn(dictation.recordings, 'keep');
  const settings = createSettingsStore(localStorage);
  const { host } = render(
    <App dictation={dictation} microphones={NO_MICROPHONES} settings={settings} />,
  );
  const notice = () => host.querySelector<HTMLElement>('.keeping-notice');
  return { dictation, keep, settings, host, notice };
}

beforeEach(() => page.viewport(1_000, 1_200));
afterEach(() => {
  localStorage.clear();
  vi.restoreAllMocks();
});

describe('that recordings are kept is said', () => {
  test('once, before the first: understood, it is never said again', async () => {
    const { notice } = openPage();
    await expect.poll(() => notice()?.querySelector('p')?.textContent).toBe(NOTICE);
    await userEvent.click(button('Okej'));
    await expect.poll(notice).toBeNull();
    const again = openPage();
    await userEvent.click(again.host.querySelector('.field-text')!, { position: { x: 9, y: 9 } });
    await seenToolbar();
    expect(again.notice()).toBeNull();
  });

  test('in nobody’s way: who dictates without an answer is not asked another time', async () => {
    const { host, notice, dictation } = openPage();
    await expect.poll(notice).not.toBeNull();
    await userEvent.click(host.querySelector('.field-text')!, { position: { x: 9, y: 9 } });
    await seenToolbar();
    await userEvent.click(button('Diktera', toolbar()!));
    await expect.poll(() => dictation.getSnapshot().session.isRecording).toBe(true);
    expect(notice()).not.toBeNull();
    await expect
      .poll(() => createSettingsStore(localStorage).getSettings().isKeepingTold)
      .toBe(true);
  });

  test('not where nothing is kept', async () => {
    createSettingsStore(localStorage).change({ keepRecordings: 0 });
    const { host, notice } = openPage();
    // It would have come with the tools for the note.
    await expect.poll(() => host.querySelector('.foot-tools button')).not.toBeNull();
    await userEvent.click(host.querySelector('.field-text')!, { position: { x: 9, y: 9 } });
    await seenToolbar();
    expect(notice()).toBeNull();
  });
});

describe('how long', () => {
  const choice = () => page.getByLabelText('Spara ljud och text');

  test('is chosen, told to the worker, and remembered', async () => {
    const { keep, host } = openPage();
    await openOptions(host);
    expect(keep).toHaveBeenLastCalledWith({ keepRecordings: 24 });
    await expect.element(choice()).toHaveValue('24');
    const names = [...choice().element().querySelectorAll('option')].map(({ label }) => label);
    expect(names).toEqual([
      'Bara tills texten har kommit',
      'I 1 timme',
      'I 24 timmar',
      'I 7 dagar',
      'I 30 dagar',
    ]);
    await userEvent.selectOptions(choice(), '168');
    await expect.poll(() => keep.mock.lastCall).toEqual([{ keepRecordings: 168 }]);
    const next = openPage();
    expect(next.keep.mock.calls.at(0)).toEqual([{ keepRecordings: 168 }]);
    localStorage.setItem('diktera:settings', '{"keepRecordings":7}');
    expect(createSettingsStore(localStorage).getSettings().keepRecordings).toBe(24);
  });

  test('where and how large they are is said; all of them go to the bin and back', async () => {
    const { dictation, host } = openPage();
    await openOptions(host);
    dictation.set({
      recordings: madeRecordings([madeRecording({ id: 'a' }), madeRecording({ id: 'b' })]),
    });
    const group = await until(() => host.querySelector<HTMLElement>('.keeping-now'));
    expect(group?.parentElement?.textContent).toContain(
      'De sparas okrypterat i den här webbläsaren på den här datorn.',
    );
    await expect.poll(() => group?.textContent).toContain('Just nu 2 dikteringar, 1,6 MB.');
    await userEvent.click(button('Ta bort alla', group!));
    const dialog = await until(() => host.querySelector<HTMLElement>('dialog.confirm[open]'));
    await userEvent.click(button('Ta bort alla', dialog!));
    await expect.poll(() => group?.textContent).toContain('2 dikteringar är borttagna.');
    await expect.poll(() => document.activeElement?.closest('.bin-line')).not.toBeNull();
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => group?.textContent).toContain('Just nu 2 dikteringar');
  });
});

test('the list is closed until it is wanted, and counts what it has', async () => {
  const { dictation, host, notice } = openPage();
  dictation.set({ recordings: madeRecordings([madeRecording({ id: 'a' })]) });
  // It moves what is below it.
  await expect.poll(notice).not.toBeNull();
  const summary = () =>
    [...host.querySelectorAll('summary')].find((each) => each.textContent === 'Dikteringar1');
  await until(summary);
  expect(host.querySelector('[data-dictation]')).toBeNull();
  await userEvent.click(summary()!);
  await until(() => host.querySelector('[data-dictation="a"]'));
});

const list = (host: HTMLElement) => host.querySelector<HTMLElement>('.dictations');
const waitingRow = (host: HTMLElement) => host.querySelector<HTMLElement>('.waiting li');

test('what waits without a recording cannot be had back, and that is said', async () => {
  const { dictation, host } = openPage();
  dictation.setQueue([makeQueueItem({ dictationId: 'a' })]);
  await until(() => waitingRow(host));
  await userEvent.click(list(host)!.querySelector('summary')!);
  await until(() => list(host)?.querySelector('details[open] .dictations-foot'));
  await userEvent.click(button('Ta bort alla', list(host)!));
  const dialog = await until(() => host.querySelector<HTMLElement>('dialog.confirm[open]'));
  expect(dialog?.querySelector('p')?.textContent).toBe(
    '1 diktering tas bort, ljud och text: 1 s. 1 är inte text än. ' +
      'Pågående inspelning påverkas inte, inte heller det som en annan flik väntar på. Det kan inte ångras.',
  );
});
