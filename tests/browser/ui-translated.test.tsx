import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import { App } from '../../src/page/App.tsx';
import { createSettingsStore } from '../../src/page/settings.ts';
import { DictationField } from '../../src/react.ts';
import { Catalogue } from '../catalogue/Catalogue.tsx';
import { CATALOGUE_NOTICES, CATALOGUE_QUEUE, CATALOGUE_RECORDINGS } from '../catalogue/states.ts';
import { button, moveMouse, seenToolbar, toolbar } from '../helpers/dictation-field.tsx';
import { mount } from '../helpers/editable-elements.ts';
import { createFakeDictation, type FakeDictation } from '../helpers/fake-dictation.ts';
import { NO_MICROPHONES } from '../helpers/no-microphones.ts';
import { chooseSwedish, putLanguageBack, render } from '../helpers/render.tsx';
import { translatePage } from '../helpers/translator.ts';
import { until } from '../helpers/until.ts';

/** The recording bar, or the foot of our page's note, while something goes on. */
const AT_WORK = ':is(.recording-bar, .note-foot:not([data-phase="idle"], [data-phase="stopped"]))';

/** Speaks into the field, with all that the page can tell meanwhile. */
async function dictate(element: HTMLElement, dictation: FakeDictation, text: string) {
  await userEvent.click(element, { position: { x: 9, y: 9 } });
  await seenToolbar();
  const phase = () => dictation.getSnapshot().session.phase;
  // React draws the broken part again, and a click may hit the old one: click again.
  await expect
    .poll(async () => {
      if (phase() === 'idle') await userEvent.click(button('Diktera', toolbar()!));
      return phase();
    })
    .toBe('recording');
  await expect.poll(() => document.querySelector(AT_WORK)).not.toBeNull();
  for (let frame = 0; frame < 30; frame += 1) dictation.hear(-20, frame % 5 > 1);
  await expect
    .poll(() => document.querySelector('.recording-time')?.textContent)
    .toMatch(/^0:0[1-9]$/);
  dictation.setSession({ live: { finalText: 'ett', firm: ' två', tentative: ' tre' } });
  dictation.setSession({ live: { finalText: 'ett två', firm: '', tentative: '' } });
  await userEvent.click(button('Pausa'));
  dictation.setNotices(CATALOGUE_NOTICES.slice(0, 3));
  await userEvent.click(document.querySelector('.microphone') ?? button('Klar'));
  dictation.setNotices(CATALOGUE_NOTICES.slice(1, 2));
  dictation.set({ queue: CATALOGUE_QUEUE });
  expect(await dictation.deliver(text)).toBe(true);
  await expect.poll(() => document.querySelector(AT_WORK)).toBeNull();
  dictation.setNotices([]);
  dictation.set({ recordings: CATALOGUE_RECORDINGS });
  dictation.setQueue([]);
}

const failures = () =>
  vi.mocked(console.error).mock.calls.filter(([, error]) => /Node|NotFound/.test(String(error)));

beforeEach(() => page.viewport(1_000, 1_200));
beforeEach(() => void vi.spyOn(console, 'error'));
afterEach(() => {
  localStorage.clear();
  vi.restoreAllMocks();
});

describe.each(['wraps', 'replaces'] as const)('a translator that %s every text', (how) => {
  test('of our page: it works on, and the text stays', async () => {
    putLanguageBack();
    chooseSwedish();
    const dictation = createFakeDictation();
    const settings = createSettingsStore(localStorage);
    const { host } = render(
      <App dictation={dictation} microphones={NO_MICROPHONES} settings={settings} />,
    );
    const field = host.querySelector<HTMLElement>('.field-text')!;
    await userEvent.click(field);
    await userEvent.keyboard('Mitt eget.');
    translatePage(how);
    const summaries = () => host.querySelectorAll<HTMLElement>('.disclosure > summary');
    // Opened, the list brings a summary of its own.
    await userEvent.click(host.querySelector('#dictations summary')!);
    await until(() => host.querySelector('#dictations .dictations'));
    for (const round of [1, 2]) {
      for (const summary of summaries()) await userEvent.click(summary);
      if (round === 1) {
        settings.change({ live: true });
        settings.change({ interfaceLanguage: 'en' });
        settings.change({ interfaceLanguage: 'sv', live: false });
      }
    }
    await dictate(field, dictation, 'Talat först.');
    await dictate(field, dictation, 'Talat sedan.');
    await userEvent.click(field);
    await seenToolbar();
    await userEvent.click(button('Kopiera', toolbar()!));
    expect(field.isConnected).toBe(true);
    expect(field.textContent).toMatch(/Mitt eget\. ?/);
    expect(field.textContent).toContain('Talat först.');
    expect(field.textContent).toContain('Talat sedan.');
    expect(failures()).toEqual([]);
  });
});

test('no text that stands beside something else is React’s own to move', async () => {
  putLanguageBack();
  const { host } = render(<Catalogue />);
  for (const closed of host.querySelectorAll('details')) closed.open = true;
  const isOpen = () => host.querySelector('.options-groups') && host.querySelector('.app-facts');
  await expect.poll(isOpen).not.toBeNull();
  for (const opener of host.querySelectorAll<HTMLElement>('.dictation-open')) opener.click();
  await expect.poll(() => host.querySelector('.dictation-again')).not.toBeNull();
  const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
  const bare = new Set<string>();
  while (walker.nextNode()) {
    const { currentNode: text } = walker;
    // React keeps such nodes, and fails where they are not where it left them.
    if (Object.keys(text).some((key) => key.startsWith('__reactFiber')))
      bare.add(text.parentElement!.outerHTML.slice(0, 200));
  }
  expect([...bare]).toEqual([]);
});

describe('whatever else is done to what React drew', () => {
  /** Takes what is pictured out of every button, so that it cannot be swapped. */
  const spoil = (within: ParentNode): void => {
    for (const picture of within.querySelectorAll('.tool-dictate svg')) {
      const moved = document.createElement('div');
      picture.replaceWith(moved);
      moved.append(picture);
    }
  };

  test('a field keeps its text, and its tools come back', async () => {
    vi.mocked(console.error).mockImplementation(() => {});
    const dictation = createFakeDictation();
    const { host } = render(<DictationField dictation={dictation} label="Text" />);
    const field = host.querySelector<HTMLElement>('.field-text')!;
    await userEvent.click(field);
    await userEvent.keyboard('Mitt eget.');
    await seenToolbar();
    // The toolbar is away while one types.
    moveMouse();
    await userEvent.click(button('Diktera', toolbar()!));
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
    spoil(document);
    await userEvent.click(button('Klar'));
    await expect.poll(failures).not.toEqual([]);
    expect(field.isConnected).toBe(true);
    expect(field.textContent).toBe('Mitt eget.');
    expect(await dictation.deliver('Talat.')).toBe(true);
    await dictate(field, dictation, 'Talat igen.');
    for (const text of ['Mitt', 'eget. Talat.', 'Talat igen.'])
      expect(field.textContent).toContain(text);
  });

  test('an attached element gets its tools back', async () => {
    vi.mocked(console.error).mockImplementation(() => {});
    const dictation = createFakeDictation();
    const element = mount('<textarea>Mitt eget.</textarea>') as HTMLTextAreaElement;
    onTestFinished(attachDictation(element, { dictation }));
    await userEvent.click(element);
    const tools = () =>
      document.querySelector('diktera-tools')?.shadowRoot?.querySelector<HTMLElement>('.tool');
    await expect.poll(tools).toBeTruthy();
    tools()!.click();
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
    spoil(document.querySelector('diktera-tools')!.shadowRoot!);
    tools()!.click();
    await expect.poll(failures).not.toEqual([]);
    expect(element.value).toBe('Mitt eget.');
    await dictation.deliver('Talat.');
    await userEvent.click(element);
    await expect.poll(tools).toBeTruthy();
  });
});
