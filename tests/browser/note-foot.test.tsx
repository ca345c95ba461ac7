import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { App } from '../../src/page/App.tsx';
import { EARLIER_NOTES_KEY } from '../../src/page/draft.ts';
import { createSettingsStore } from '../../src/page/settings.ts';
import { exceptWebKit } from '../helpers/engine.ts';
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

for (const name of ['Släng', 'Ångra']) {
  exceptWebKit(`Enter held on ${name} writes no line breaks into the text`, async () => {
    const { text, button, press, record } = open();
    await record();
    if (name === 'Ångra') await press(await button('Släng'));
    await press(await button(name), '{Enter>9}{/Enter}');
    await expect.poll(() => document.activeElement).toBe(text);
    // The next one is meant.
    await userEvent.keyboard('ett{Enter}två');
    expect(text.innerText).toBe('ett\ntvå');
  });
}

exceptWebKit('Enter held in the text ends the recording and writes no line breaks', async () => {
  const { dictation, text, press, record } = open();
  await record();
  await press(text, '{Enter>9}{/Enter}');
  expect(dictation.calls).toContain('stop');
  expect(text.innerText).toBe('');
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

exceptWebKit(
  'Enter held on the microphone is one press (WebKitGTK: driven, it tells of no repeat)',
  async () => {
    const { dictation, press, microphone } = open();
    await press(microphone, '{Enter>9}{/Enter}');
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
    expect(dictation.calls.filter((call) => call !== 'prepare')).toEqual(['start']);
    await userEvent.keyboard('{Enter}');
    expect(dictation.calls.filter((call) => call !== 'prepare')).toEqual(['start', 'stop']);
  },
);

test('a screen reader hears each thing once: what was done, and no hint after it', async () => {
  const copying = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  onTestFinished(() => copying.mockRestore());
  const { dictation, text, button, press, record } = open();
  const heard: string[] = [];
  const watch = new MutationObserver(() => {
    for (const region of document.querySelectorAll(
      '.note-foot [role="status"], .page > [role="status"]',
    )) {
      const words = region.textContent ?? '';
      if (words !== '' && heard.at(-1) !== words) heard.push(words);
    }
  });
  watch.observe(document.body, { childList: true, subtree: true, characterData: true });
  onTestFinished(() => watch.disconnect());
  text.focus();
  await userEvent.keyboard('Hej.');
  await press(await button('Kopiera'));
  const seen = () => document.querySelector('.foot-state')?.textContent;
  await expect.poll(seen).toBe('Kopierat.');
  await expect.poll(seen).toBe('Tryck, eller håll ned medan du talar.');
  expect(heard).toEqual(['Kopierat.']);
  await record();
  heard.length = 0;
  dictation.cancel();
  await expect.poll(seen).toBe('Inspelningen är slängd.Ångra');
  expect(heard.filter((words) => words.includes('slängd'))).toEqual([
    'Inspelningen är slängd och kan ångras',
  ]);
});

test('earlier notes deleted by the keyboard leave the focus in the text, and come back', async () => {
  const note = { text: 'Förra.', savedAtMs: Date.now() - 60_000, account: null };
  localStorage.setItem(EARLIER_NOTES_KEY, JSON.stringify([note]));
  const { text, button, press } = open();
  const earlier = () => document.querySelector<HTMLElement>('.earlier');
  await until(earlier);
  earlier()?.querySelector('summary')?.click();
  const forget = () =>
    [...document.querySelectorAll<HTMLElement>('.earlier button')].find(
      ({ textContent }) => textContent === 'Ta bort tidigare anteckningar',
    );
  await until(() => forget()?.checkVisibility());
  await press(forget());
  await expect.poll(earlier).toBeNull();
  expect(document.activeElement).toBe(text);
  await press(await button('Ångra'));
  await expect.poll(() => earlier()?.textContent).toContain('Förra.');
});

test('Ny anteckning on a telephone calls up neither its keyboard nor the toolbar', async () => {
  const match = vi
    .spyOn(window, 'matchMedia')
    .mockReturnValue({ matches: false } as MediaQueryList);
  onTestFinished(() => match.mockRestore());
  const { text, button } = open();
  const fresh = await button('Ny anteckning');
  text.append('Ett.');
  await expect.poll(() => fresh?.getAttribute('aria-disabled')).toBe('false');
  await userEvent.click(fresh!);
  await button('Ångra');
  expect(text.innerText.trim()).toBe('');
  expect(document.activeElement).not.toBe(text);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(document.querySelector('[role="toolbar"]')).toBeNull();
  await userEvent.click(text);
  await expect.poll(() => document.querySelector('[role="toolbar"]')).not.toBeNull();
});
