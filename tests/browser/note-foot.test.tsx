import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { App } from '../../src/page/App.tsx';
import { createSettingsStore } from '../../src/page/settings.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { NO_MICROPHONES } from '../helpers/no-microphones.ts';
import { putLanguageBack, render } from '../helpers/render.tsx';
import { until } from '../helpers/until.ts';

// The foot of the note by the keyboard alone: nobody is left nowhere when a button goes.

beforeEach(() => page.viewport(1_000, 800));

function open() {
  putLanguageBack();
  onTestFinished(() => localStorage.clear());
  const dictation = createFakeDictation();
  const settings = createSettingsStore(null);
  settings.change({ interfaceLanguage: 'sv', isKeepingTold: true });
  const { host } = render(
    <App dictation={dictation} microphones={NO_MICROPHONES} settings={settings} />,
  );
  const text = host.querySelector<HTMLElement>('.field-text')!;
  const button = (name: string) =>
    until(() =>
      [...host.querySelectorAll<HTMLElement>('.note-foot button')].find(
        ({ textContent }) => textContent === name,
      ),
    );
  const microphone = host.querySelector<HTMLElement>('.microphone')!;
  const press = async (element: HTMLElement | undefined, key = '{Enter}') => {
    element?.focus();
    expect(document.activeElement).toBe(element);
    await userEvent.keyboard(key);
  };
  const record = async () => {
    await press(microphone);
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
  };
  return { dictation, text, button, microphone, press, record };
}

test('Escape on the microphone throws away what it began, and means nothing at rest', async () => {
  const { dictation, microphone, record } = open();
  await record();
  expect(document.activeElement).toBe(microphone);
  await userEvent.keyboard('{Escape}');
  expect(dictation.getSnapshot().cancelled).toBe('session');
  expect(document.activeElement).toBe(microphone);
});

test('Släng and its Ångra leave the focus in the text', async () => {
  const { dictation, text, button, press, record } = open();
  await record();
  await press(await button('Släng'));
  expect(dictation.calls).toContain('cancel');
  await expect.poll(() => document.activeElement).toBe(text);
  await press(await button('Ångra'));
  expect(dictation.calls).toContain('undoCancel');
  await expect.poll(() => document.activeElement).toBe(text);
});

test('what goes by itself leaves it there, too; Pausa keeps it as Fortsätt', async () => {
  const { dictation, text, button, press, record } = open();
  await record();
  await press(await button('Pausa'));
  await expect.poll(() => document.activeElement?.textContent).toBe('Fortsätt');
  await dictation.stop();
  await expect.poll(() => document.activeElement).toBe(text);
  (await button('Fortsätt arbeta'))?.focus();
  await dictation.deliver('klart');
  await expect.poll(() => document.activeElement).toBe(text);
});

test('Enter held on the microphone is one press', async () => {
  const { dictation, press, microphone } = open();
  await press(microphone, '{Enter>9}{/Enter}');
  await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
  expect(dictation.calls.filter((call) => call !== 'prepare')).toEqual(['start']);
  await userEvent.keyboard('{Enter}');
  expect(dictation.calls.filter((call) => call !== 'prepare')).toEqual(['start', 'stop']);
});
