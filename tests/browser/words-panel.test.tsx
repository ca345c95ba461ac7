import '../../src/widget/styles/library.css';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createEditableField } from '../../src/field/create-editable-field.ts';
import { LearnOffer } from '../../src/page/words/LearnOffer.tsx';
import { createRulesStore } from '../../src/page/words/own-rules.ts';
import { WordsPanel } from '../../src/page/words/WordsPanel.tsx';
import { readStoredRules, writeStoredRules } from '../../src/platform/stored-rules.ts';
import { createStillDictation } from '../../src/widget/still-dictation.ts';
import { giveFile, giveText } from '../helpers/give.ts';
import { render } from '../helpers/render.tsx';

beforeEach(async () => {
  await page.viewport(1_000, 800);
  await writeStoredRules({});
});

function show() {
  const store = createRulesStore();
  onTestFinished(() => store.dispose());
  const { host } = render(<WordsPanel language="sv" store={store} />);
  const words = () => [...host.querySelectorAll('.words-word')].map((word) => word.textContent);
  return { host, store, words };
}

const field = (name: string) => page.getByLabelText(name, { exact: true }).first();
const button = (name: string) => page.getByRole('button', { name, exact: true }).first();

test('a word is added, changed and deleted by the keyboard, said, and kept in this browser', async () => {
  const { host, words, store } = show();
  await userEvent.click(field('Ord eller namn'));
  await userEvent.keyboard('Sjöqvist{Tab}sjökvist{Enter}');
  await expect.poll(words).toEqual(['Sjöqvist']);
  expect(host.querySelector('[role="status"]')?.textContent).toContain('Sjöqvist finns nu');
  await store.settled();
  expect(await readStoredRules()).toMatchObject({
    vocabulary: [{ write: 'Sjöqvist', soundsLike: ['sjökvist'] }],
  });
  button('Ändra Sjöqvist').element().focus();
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => document.activeElement?.tagName).toBe('INPUT');
  await userEvent.keyboard('{End}er{Enter}');
  await expect.poll(words).toEqual(['Sjöqvister']);
  // The focus is not lost with the form.
  const inList = () => document.activeElement?.getAttribute('aria-label');
  expect(inList()).toBe('Mina ord');
  button('Ändra Sjöqvister').element().focus();
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => document.activeElement?.tagName).toBe('INPUT');
  button('Avbryt').element().focus();
  await userEvent.keyboard('{Enter}');
  await expect.poll(inList).toBe('Mina ord');
  await userEvent.click(button('Ta bort Sjöqvister'));
  await expect.poll(words).toEqual([]);
  // Nor with the row.
  expect(inList()).toBe('Mina ord');
  await store.settled();
  expect((await readStoredRules()).vocabulary).toEqual([]);
});

test('nothing moves once it is drawn: it comes when the lists were read', async () => {
  const { host } = show();
  expect(host.textContent).toBe('');
  await expect.poll(() => host.querySelector('fieldset')).not.toBeNull();
  const top = () => host.querySelector('fieldset')?.getBoundingClientRect().top;
  const first = top();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(top()).toBe(first);
});

test('what is no word is not taken, and that is said', async () => {
  const { host, words, store } = show();
  await store.settled();
  giveText(field('Ord eller namn'), '123');
  await userEvent.click(button('Lägg till'));
  await expect
    .poll(() => host.querySelector('[role="status"]')?.textContent)
    .toContain('Skriv ett ord');
  expect(words()).toEqual([]);
});

test('many are pasted at once, and five thousand slow no keystroke', async () => {
  const { words, host } = show();
  await userEvent.click(page.getByText('Lägg till många på en gång', { exact: true }));
  const list = Array.from({ length: 5_000 }, (_, nth) => `Namnet${nth}`).join('\n');
  const area = page.getByRole('textbox', { name: 'Lägg till många på en gång' });
  await expect.element(area).toBeVisible();
  // Line by line the driver would take minutes.
  giveText(area, list);
  await userEvent.click(button('Lägg till alla'));
  await expect.poll(() => words().length).toBe(30);
  expect(host.textContent).toContain('Sök bland 5\u00a0000 ord');
  const input = field('Ord eller namn').element() as HTMLInputElement;
  input.focus();
  await userEvent.keyboard('Holm');
  expect(input.value).toBe('Holm');
  // Without the driver's own time for a key, which is most of it elsewhere.
  const startedMs = performance.now();
  for (const typed of ['Holmb', 'Holmbe', 'Holmber', 'Holmberg']) {
    giveText(input, typed);
    await Promise.resolve();
  }
  expect((performance.now() - startedMs) / 4).toBeLessThan(50);
  expect(input.value).toBe('Holmberg');
  giveText(page.getByRole('searchbox'), 'namnet4999');
  await expect.poll(words).toEqual(['Namnet4999']);
});

test('a full list keeps what it has, and says that it is full', async () => {
  const vocabulary = Array.from({ length: 5_000 }, (_, nth) => ({ write: `Namnet${nth}` }));
  await writeStoredRules({ vocabulary });
  const { host, store } = show();
  await store.settled();
  const said = () => host.querySelector('[role="status"]')?.textContent;
  giveText(field('Ord eller namn'), 'Sjöqvist');
  await userEvent.click(button('Lägg till'));
  await expect.poll(said).toContain('Listan är full');
  const input = host.querySelector<HTMLInputElement>('input[type="file"]')!;
  giveFile(input, new File(['Sjöqvist\nNamnet0'], 'ord.txt', { type: 'text/plain' }));
  await expect.poll(said).toContain('1 ord och 0 textsnuttar har hämtats. 1 kunde inte användas.');
  await store.settled();
  const stored = (await readStoredRules()).vocabulary as readonly { readonly write: string }[];
  expect(stored.length).toBe(5_000);
  expect(new Set(stored.map(({ write }) => write))).toEqual(
    new Set(vocabulary.map(({ write }) => write)),
  );
});

test('a snippet of several lines is kept as it is written', async () => {
  const { words, store } = show();
  await store.settled();
  giveText(field('När jag säger'), 'min hälsning');
  giveText(field('Skriv'), 'Med vänlig hälsning\nEva');
  await userEvent.click(page.getByRole('button', { name: 'Lägg till', exact: true }).nth(1));
  await expect.poll(words).toEqual(['min hälsning']);
  await store.settled();
  expect((await readStoredRules()).replacements).toEqual([
    { say: 'min hälsning', write: 'Med vänlig hälsning\nEva' },
  ]);
});

test('a fold within an open one points down until it is opened itself', async () => {
  const { host } = render(
    <details className="disclosure" open>
      <summary className="tool">Mina ord och kommandon</summary>
      <WordsPanel language="sv" store={createRulesStore()} />
    </details>,
  );
  await expect.poll(() => host.querySelectorAll('details details').length).toBe(3);
  const turned = () =>
    [...host.querySelectorAll('details details summary svg')].map(
      (arrow) => getComputedStyle(arrow).transform !== 'none',
    );
  expect(turned()).toEqual([false, false, false]);
  await userEvent.click(page.getByText('På svenska', { exact: true }));
  await expect.poll(turned).toEqual([false, true, false]);
});

test('switches are kept, and the list of commands says which are off', async () => {
  const { host, store } = show();
  await store.settled();
  const row = (said: string) =>
    [...host.querySelectorAll('tr')].find((one) => one.textContent?.startsWith(said))?.textContent;
  expect(row('ny rad')).not.toContain('avstängt');
  expect(row('punkt')).toContain('avstängt');
  await userEvent.click(page.getByRole('checkbox', { name: 'Skiljetecken när jag säger dem' }));
  await expect.poll(() => row('punkt')).not.toContain('avstängt');
  await store.settled();
  expect((await readStoredRules()).rules).toEqual({ marks: true });
});

test('one file takes everything along, and a list of words is taken as well', async () => {
  await writeStoredRules({
    vocabulary: ['Alvedon'],
    replacements: [{ say: 'mvh', write: 'Hej då' }],
  });
  const { host, words } = show();
  await expect.poll(words).toEqual(['Alvedon', 'mvh']);
  const link = host.querySelector<HTMLAnchorElement>('a[download]');
  await expect.poll(() => link?.href).toMatch(/^blob:/);
  const file = await (await fetch(link?.href ?? '')).text();
  await writeStoredRules({});
  await expect.poll(words).toEqual([]);
  const input = host.querySelector<HTMLInputElement>('input[type="file"]');
  giveFile(input as HTMLInputElement, new File([file], 'mina-ord.json'));
  await expect.poll(words).toEqual(['Alvedon', 'mvh']);
  giveFile(input as HTMLInputElement, new File(['Waran\nTreo;treå\n'], 'ord.csv'));
  await expect.poll(words).toEqual(['Waran', 'Treo', 'Alvedon', 'mvh']);
  // It is said when it is kept, which may be after it is seen.
  await expect
    .poll(() => host.querySelector('[role="status"]')?.textContent)
    .toBe('2 ord och 0 textsnuttar har hämtats.');
  giveFile(input as HTMLInputElement, new File(['{"a":1}'], 'annat.json'));
  await expect
    .poll(() => host.querySelector('[role="status"]')?.textContent)
    .toBe('Filen kunde inte läsas.');
});

test('another tab sees what was changed', async () => {
  const { words } = show();
  const other = createRulesStore();
  await other.change((before) => ({ ...before, vocabulary: [{ write: 'Waran' }] }));
  other.dispose();
  await expect.poll(words).toEqual(['Waran']);
});

test('a word corrected by hand is offered once, and kept after a yes alone', async () => {
  localStorage.removeItem('diktera:offered-words');
  onTestFinished(() => localStorage.removeItem('diktera:offered-words'));
  const store = createRulesStore();
  const dictation = createStillDictation();
  const area = document.createElement('textarea');
  document.body.append(area);
  const field = createEditableField(area);
  onTestFinished(() => {
    store.dispose();
    field.dispose();
    area.remove();
  });
  area.value = 'Ring Sjökvist i dag.';
  await store.settled();
  const { host } = render(
    <LearnOffer dictation={dictation} field={{ current: field }} language="sv" store={store} />,
  );
  const correct = async (was: string, now: string) => {
    area.value = area.value.replace(was, now);
    area.dispatchEvent(new InputEvent('input', { bubbles: true }));
  };
  // Written by hand from the start, it is nobody's correction.
  await correct('Sjökvist', 'Sjöqvist');
  await new Promise((resolve) => setTimeout(resolve, 1_800));
  expect(host.textContent).toBe('');
  area.value = 'Ring Sjökvist i dag.';
  area.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await new Promise((resolve) => setTimeout(resolve, 1_800));
  dictation.setSession({ transcriptions: new Map([[0, 'Ring Sjökvist i dag.']]) });
  await correct('Sjökvist', 'Sjöqvist');
  await expect
    .poll(() => host.textContent, { timeout: 4_000 })
    .toContain('Lägg till Sjöqvist i Mina ord?');
  expect(store.get().vocabulary).toEqual([]);
  await userEvent.click(button('Lägg till'));
  await store.settled();
  expect((await readStoredRules()).vocabulary).toEqual([
    { write: 'Sjöqvist', soundsLike: ['sjökvist'] },
  ]);
  expect(host.textContent).toBe('');
});
