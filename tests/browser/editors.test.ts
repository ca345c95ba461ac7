import { describe, expect, onTestFinished, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import table from '../../docs/editors.md?raw';
import { attachDictation } from '../../src/attach-dictation.tsx';
import type { WrittenSnippet } from '../../src/core/written-snippet.ts';
import { mount } from '../helpers/editable-elements.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { EDITORS, type MountedEditor } from '../helpers/real-editors.ts';

type Meanwhile = {
  /** Stands behind the place. */
  readonly after?: string;
  /** Keys that the user presses while recording. */
  readonly meanwhile?: string;
  /** Where the user goes while recording. */
  readonly elsewhere?: HTMLElement;
  /** The pause in typing before the text comes, in ms. @default 0 */
  readonly pauseMs?: number;
  /** Runs right before the text comes. */
  readonly whenComing?: (editor: MountedEditor) => void;
  /** Parts of the texts that snippets wrote. */
  readonly snippets?: readonly WrittenSnippet[];
};

/** Without the marks that editors put where they have no text. */
function textBeforeCaret(element: HTMLElement): string {
  const range = document.createRange();
  range.setStart(element, 0);
  const { focusNode, focusOffset } = document.getSelection()!;
  range.setEnd(focusNode!, focusOffset);
  return range.toString().replaceAll('\uFEFF', '').replaceAll('\u00A0', ' ');
}

/** Waits until work scheduled for the next frame is done. */
const drawn = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** Attached as any element, without an adapter. */
async function dictateInto(
  name: string,
  texts: readonly string[],
  { after = '', meanwhile = '', elsewhere, pauseMs = 0, snippets, ...given }: Meanwhile = {},
) {
  const editor = await EDITORS[name]!(mount('<div style="white-space: pre-wrap"></div>'));
  const dictation = createFakeDictation();
  const attachment = attachDictation(editor.element, { dictation });
  onTestFinished(() => attachment());
  await userEvent.click(editor.element);
  await userEvent.keyboard(`Ett${after}`);
  await expect.poll(editor.text).toBe(`Ett${after}`);
  // Not before: an editor that draws what was typed puts the caret behind it, Trix a frame later.
  await expect.poll(() => textBeforeCaret(editor.element)).toBe(`Ett${after}`);
  await drawn();
  if (after !== '') await userEvent.keyboard('{ArrowLeft}'.repeat(after.length));
  await expect.poll(() => textBeforeCaret(editor.element)).toBe('Ett');
  for (const text of texts) {
    attachment.start();
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
    if (elsewhere) await userEvent.click(elsewhere);
    if (meanwhile) {
      await userEvent.keyboard(meanwhile);
      // Not before: editors learn of a caret that was moved a little later, Slate by 100 ms.
      await expect.poll(() => textBeforeCaret(editor.element)).not.toBe('Ett');
      await drawn();
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    given.whenComing?.(editor);
    expect(await dictation.deliver(text, snippets)).toBe(true);
  }
  return editor;
}

const NAMES = Object.keys(EDITORS);

test.each(NAMES)('%s by itself: the text is the editor’s own, and goes on', async (name) => {
  const editor = await dictateInto(name, ['två ord.']);
  expect(editor.text()).toBe('Ett två ord.');
  await userEvent.keyboard(' Tre');
  await expect.poll(editor.text).toBe('Ett två ord. Tre');
});

/**
 * Most histories join typing and an insertion within this time into one step (500 ms; Quill 1 s).
 */
const HISTORY_GROUP_MS = 1_100;

/** One step of theirs takes what was typed right before along, however long ago, as with typing. */
const TAKES_MORE: ReadonlySet<string> = new Set(['Slate', 'Squire']);

/** A line is a step of theirs where nothing was typed right before, but in Firefox. */
const TAKES_A_LINE: ReadonlySet<string> = new Set(['Jodit']);

/** By its own key, once it knows of the text. */
async function undo({ historyMs = 0 }: MountedEditor): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, historyMs));
  await userEvent.keyboard('{Control>}z{/Control}');
}

test.each(NAMES)('%s by itself: undone by the editor', async (name) => {
  const editor = await dictateInto(name, ['två ord.'], { pauseMs: HISTORY_GROUP_MS });
  await undo(editor);
  await expect.poll(editor.text).toBe(TAKES_MORE.has(name) ? '' : 'Ett');
});

/** The separator of two lines in schemas without a line break. */
const LINES_TOGETHER: Readonly<Record<string, string>> = { ProseMirror: ' ', Milkdown: ' ' };

describe.each(NAMES)('%s by itself: a text of two lines', (name) => {
  const together = LINES_TOGETHER[name] ?? '\n';
  const lines = (text: string): string => text.replace(/\n+/g, '\n');

  test('stands behind what was typed, and goes on', async () => {
    const editor = await dictateInto(name, ['två\ntre']);
    await expect.poll(() => lines(editor.text())).toBe(`Ett två${together}tre`);
    await userEvent.keyboard('. Fyra');
    await expect.poll(() => lines(editor.text())).toBe(`Ett två${together}tre. Fyra`);
  });

  test('goes into the middle of a line', async () => {
    const editor = await dictateInto(name, ['två\ntre'], { after: ' fyra' });
    await expect.poll(() => lines(editor.text())).toBe(`Ett två${together}tre fyra`);
  });

  test('leaves the caret where the user went meanwhile', async () => {
    const editor = await dictateInto(name, ['två\ntre'], { after: ' fyra', meanwhile: '{End}' });
    await expect.poll(() => lines(editor.text())).toBe(`Ett två${together}tre fyra`);
    await userEvent.keyboard('. Fem');
    await expect.poll(() => lines(editor.text())).toBe(`Ett två${together}tre fyra. Fem`);
  });

  test('leaves the user in another field', async () => {
    const other = mount('<input>');
    await dictateInto(name, ['två\ntre'], { elsewhere: other });
    await userEvent.keyboard('Hej');
    expect(other).toHaveProperty('value', 'Hej');
  });

  test('is undone in one step, or by its lines', async () => {
    const editor = await dictateInto(name, ['två\ntre'], { pauseMs: HISTORY_GROUP_MS });
    await expect.poll(() => lines(editor.text())).toBe(`Ett två${together}tre`);
    await undo(editor);
    await expect.poll(editor.text).not.toMatch(/tre/);
    if (TAKES_A_LINE.has(name) && editor.text().includes('två')) await undo(editor);
    await expect.poll(editor.text).not.toMatch(/två|tre/);
  });
});

/**
 * An editor that hides a text area for the keys, as Monaco does without `editContext`: what has
 * changed in that goes in at the editor's own caret, and then the area is written anew.
 */
function mountHiddenArea() {
  const area = mount('<textarea style="color: transparent"></textarea>') as HTMLTextAreaElement;
  let model = '';
  let caret = 0;
  const write = (): void => {
    area.value = model;
    area.setSelectionRange(caret, caret);
  };
  area.addEventListener('input', () => {
    const behind = model.slice(caret);
    const end = area.value.endsWith(behind) ? area.value.length - behind.length : area.selectionEnd;
    const typed = area.value.slice(Math.min(caret, end), end);
    model = model.slice(0, caret) + typed + behind;
    caret += typed.length;
    requestAnimationFrame(write);
  });
  const moveTo = (offset: number): void => {
    caret = offset;
    write();
  };
  return { area, moveTo, text: () => model };
}

test('Slate, whose caret has moved and is not drawn yet, takes a text at its place', async () => {
  const whenComing = ({ moveCaretToEnd }: MountedEditor) => moveCaretToEnd?.();
  const editor = await dictateInto('Slate', ['två'], { after: ' tre', whenComing });
  await expect.poll(editor.text).toBe('Ett två tre');
});

describe('an editor behind a hidden text area', () => {
  async function begin() {
    const editor = mountHiddenArea();
    const dictation = createFakeDictation();
    const attachment = attachDictation(editor.area, { dictation });
    onTestFinished(() => attachment());
    editor.area.focus();
    await userEvent.keyboard('Noll ett');
    await expect.poll(() => [editor.text(), editor.area.value]).toEqual(['Noll ett', 'Noll ett']);
    attachment.start();
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
    return { ...editor, dictation };
  }

  test('has the text once, at its caret', async () => {
    const { dictation, text } = await begin();
    expect(await dictation.deliver('två')).toBe(true);
    expect(text()).toBe('Noll ett två');
  });

  test('whose caret is elsewhere has none of it, and the text waits', async () => {
    const { dictation, text, moveTo } = await begin();
    moveTo(4);
    expect(await dictation.deliver('två')).toBe(false);
    expect(text()).toBe('Noll ett');
    expect(dictation.getSnapshot().queue.items).toHaveLength(1);
  });
});

describe.each(NAMES)('%s by itself: a text of one line', (name) => {
  test('goes between two words, with a blank on both sides', async () => {
    const editor = await dictateInto(name, ['två'], { after: 'tre' });
    await expect.poll(editor.text).toBe('Ett två tre');
    await userEvent.keyboard('!');
    await expect.poll(editor.text).toBe('Ett två! tre');
  });

  test('leaves the caret where the user went meanwhile', async () => {
    const editor = await dictateInto(name, ['två'], { after: ' tre', meanwhile: '{End}' });
    await expect.poll(editor.text).toBe('Ett två tre');
    await userEvent.keyboard('. Fyra');
    await expect.poll(editor.text).toBe('Ett två tre. Fyra');
  });

  test('leaves the user in another field', async () => {
    const other = mount('<input>');
    const editor = await dictateInto(name, ['två'], { elsewhere: other });
    await userEvent.keyboard('Hej');
    expect(other).toHaveProperty('value', 'Hej');
    expect(editor.text()).toBe('Ett två');
  });

  test('follows the one before', async () => {
    const editor = await dictateInto(name, ['två', 'tre', 'fyra'], { after: ' fem' });
    await expect.poll(editor.text).toBe('Ett två tre fyra fem');
  });

  test('of three parts, with an empty line, is all there', async () => {
    const editor = await dictateInto(name, ['två\n\ntre\nfyra'], { after: ' fem' });
    const words = (): string => editor.text().replace(/\s+/g, ' ');
    await expect.poll(words).toBe('Ett två tre fyra fem');
  });
});

describe.each(NAMES)('%s by itself: a snippet that wants the caret', (name) => {
  const together = LINES_TOGETHER[name] ?? '\n';
  const lines = (text: string): string => text.replace(/\n+/g, '\n');

  test.each(['', ' tre'])('has it there, before %j', async (after) => {
    const snippets = [{ text: 'AT: .', cursor: 4 }];
    const editor = await dictateInto(name, ['AT: .'], { after, snippets });
    await expect.poll(editor.text).toBe(`Ett AT: .${after}`);
    await userEvent.keyboard('ua');
    await expect.poll(editor.text).toBe(`Ett AT: ua.${after}`);
  });

  test('of several lines', async () => {
    const text = 'AT: .\nCor: .\nEva';
    const editor = await dictateInto(name, [text], { snippets: [{ text, cursor: 11 }] });
    await expect.poll(() => lines(editor.text())).toBe(`Ett ${text.replaceAll('\n', together)}`);
    await userEvent.keyboard('ua');
    await expect
      .poll(() => lines(editor.text()))
      .toBe(`Ett ${['AT: .', 'Cor: ua.', 'Eva'].join(together)}`);
  });

  test('leaves the user where they went meanwhile', async () => {
    const snippets = [{ text: 'AT: .', cursor: 4 }];
    const how = { after: ' tre', meanwhile: '{End}', snippets };
    const editor = await dictateInto(name, ['AT: .'], how);
    await userEvent.keyboard('!');
    await expect.poll(editor.text).toBe('Ett AT: . tre!');
  });
});

function undoneBy(name: string): string {
  if (TAKES_MORE.has(name)) return 'what was typed right before it too';
  return TAKES_A_LINE.has(name)
    ? 'the dictation; a line of it in Chromium and WebKitGTK'
    : 'the dictation';
}

test('docs/editors.md tells of each what was tried here', () => {
  const rows = [...table.matchAll(/^\| ([^|]+) \| [\d.]+ \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)];
  const told = rows.map(([, name, line, lines, undone]) => ({ name, line, lines, undone }));
  expect(told).toEqual(
    Object.keys(EDITORS).map((name) => ({
      name,
      line: 'works',
      lines: name in LINES_TOGETHER ? 'one space for a break' : 'works',
      undone: undoneBy(name),
    })),
  );
});
