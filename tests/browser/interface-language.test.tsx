import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import {
  DictationField,
  DictationList,
  type InterfaceLanguage,
  InterfaceLanguageProvider,
  Notices,
} from '../../src/react.ts';
import { seenToolbar } from '../helpers/dictation-field.tsx';
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

test.each([
  { language: null, said: SWEDISH, unsaid: ENGLISH },
  { language: 'sv', said: SWEDISH, unsaid: ENGLISH },
  { language: 'en', said: ENGLISH, unsaid: SWEDISH },
] as const)('components of React speak $language', async ({ language, said, unsaid }) => {
  const words = await wordsSaid(language);
  for (const word of said) expect(words).toContain(word);
  for (const word of unsaid) expect(words).not.toContain(word);
});
