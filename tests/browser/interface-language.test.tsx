import type { ReactNode } from 'react';
import { expect, onTestFinished, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import {
  DictationField,
  DictationList,
  type InterfaceLanguage,
  InterfaceLanguageProvider,
  Notices,
  StringsProvider,
} from '../../src/react.ts';
import { seenToolbar } from '../helpers/dictation-field.tsx';
import { mount } from '../helpers/editable-elements.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { render } from '../helpers/render.tsx';

/** Everything that has words of its own, with something to say. */
async function wordsSaid(language: InterfaceLanguage | null): Promise<string> {
  const dictation = createFakeDictation();
  dictation.setNotices([{ kind: 'microphone-denied', error: null }]);
  dictation.setQueue([makeQueueItem()]);
  const all = [
    <DictationField key="field" dictation={dictation} label="Note" />,
    <Notices key="notices" dictation={dictation} />,
    <DictationList
      key="list"
      dictation={dictation}
      insert={async () => true}
      copy={async () => true}
    />,
  ];
  const { host } = render(within(language, all));
  await userEvent.click(host.querySelector<HTMLElement>('.field-text')!);
  const toolbar = await seenToolbar();
  return `${toolbar.textContent} ${host.textContent}`;
}

function within(language: InterfaceLanguage | null, children: ReactNode): ReactNode {
  if (language === null) return children;
  return <InterfaceLanguageProvider language={language}>{children}</InterfaceLanguageProvider>;
}

const SWEDISH = ['Diktera', 'Mikrofonen är inte tillåten', 'Ta bort alla'];
const ENGLISH = ['Dictate', 'The microphone is not allowed', 'Delete all'];

test('components of React say in the host’s words what it gives, and the rest in theirs', async () => {
  const dictation = createFakeDictation();
  dictation.setQueue([makeQueueItem()]);
  const strings = {
    en: { dictate: 'Speak', list: { removeAll: 'Empty it' } },
  };
  const { host } = render(
    <InterfaceLanguageProvider language="en">
      <StringsProvider strings={strings}>
        <DictationField dictation={dictation} label="Note" />
        <DictationList dictation={dictation} insert={async () => true} copy={async () => true} />
      </StringsProvider>
    </InterfaceLanguageProvider>,
  );
  await userEvent.click(host.querySelector<HTMLElement>('.field-text')!);
  const toolbar = await seenToolbar();
  expect(toolbar.textContent).toContain('Speak');
  expect(toolbar.textContent).toContain('Copy');
  expect(host.textContent).toContain('Empty it');
});

test.each([
  { language: null, said: SWEDISH, unsaid: ENGLISH },
  { language: 'sv', said: SWEDISH, unsaid: ENGLISH },
  { language: 'en', said: ENGLISH, unsaid: SWEDISH },
] as const)('components of React speak $language', async ({ language, said, unsaid }) => {
  const words = await wordsSaid(language);
  for (const word of said) expect(words).toContain(word);
  for (const word of unsaid) expect(words).not.toContain(word);
});

test('an attached element says in the host’s words what it gives, in the language of the moment', async () => {
  const dictation = createFakeDictation();
  const element = mount('<textarea></textarea>');
  const attachment = attachDictation(element, {
    dictation,
    interfaceLanguage: 'en',
    strings: { en: { dictate: 'Speak', stop: 'That is all' }, sv: { dictate: 'Tala' } },
  });
  onTestFinished(() => attachment());
  await userEvent.click(element);
  const said = () => document.querySelector('diktera-tools')?.shadowRoot?.textContent ?? '';
  await expect.poll(said).toContain('Speak');
  expect(said()).toContain('Copy');
  attachment.setOptions({ interfaceLanguage: 'sv' });
  await expect.poll(said).toContain('Tala');
  expect(said()).toContain('Kopiera');
});
