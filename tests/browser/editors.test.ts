import { history as codeHistory, historyKeymap } from '@codemirror/commands';
import { EditorState as CodeState } from '@codemirror/state';
import { EditorView as CodeView, keymap as codeKeymap } from '@codemirror/view';
import { createEmptyHistoryState, registerHistory } from '@lexical/history';
import { registerPlainText } from '@lexical/plain-text';
import { Editor } from '@tiptap/core';
import StarterKit from '@tiptap/starter-kit';
import { $getRoot, createEditor } from 'lexical';
import { history, redo, undo } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import { schema } from 'prosemirror-schema-basic';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import Quill from 'quill';
import { expect, onTestFinished, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import { mount } from '../helpers/editable-elements.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';

/** An editor of somebody else's: the element one types in, and its text as its own state has it. */
type MountedEditor = { readonly element: HTMLElement; readonly text: () => string };

/** Each as its own documentation sets it up, with its own history. */
const EDITORS: Readonly<Record<string, (host: HTMLElement) => MountedEditor>> = {
  ProseMirror(host) {
    const plugins = [history(), keymap({ 'Mod-z': undo, 'Mod-y': redo })];
    const view = new EditorView(host, { state: EditorState.create({ schema, plugins }) });
    onTestFinished(() => view.destroy());
    return {
      element: view.dom,
      text: () => view.state.doc.textBetween(0, view.state.doc.content.size, '\n'),
    };
  },
  TipTap(host) {
    const editor = new Editor({ element: host, extensions: [StarterKit] });
    onTestFinished(() => editor.destroy());
    return { element: editor.view.dom, text: () => editor.getText() };
  },
  CodeMirror(host) {
    const extensions = [codeHistory(), codeKeymap.of(historyKeymap)];
    const view = new CodeView({ parent: host, state: CodeState.create({ extensions }) });
    onTestFinished(() => view.destroy());
    return { element: view.contentDOM, text: () => view.state.doc.toString() };
  },
  Quill(host) {
    const quill = new Quill(host);
    return { element: quill.root, text: () => quill.getText().replace(/\n$/, '') };
  },
  Lexical(host) {
    host.contentEditable = 'true';
    const editor = createEditor({
      onError(error) {
        throw error;
      },
    });
    editor.setRootElement(host);
    registerPlainText(editor);
    registerHistory(editor, createEmptyHistoryState(), 300);
    return { element: host, text: () => editor.read(() => $getRoot().getTextContent()) };
  },
};

/** Attached as any element, without an adapter. */
async function dictateInto(
  name: string,
  texts: readonly string[],
  verdict: DeliveryVerdict = true,
) {
  const editor = EDITORS[name]!(mount('<div style="white-space: pre-wrap"></div>'));
  const dictation = createFakeDictation();
  const attachment = attachDictation(editor.element, { dictation });
  onTestFinished(() => attachment());
  await userEvent.click(editor.element);
  await userEvent.keyboard('Ett');
  await expect.poll(editor.text).toBe('Ett');
  for (const text of texts) {
    attachment.start();
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
    expect(await dictation.deliver(text)).toBe(verdict);
  }
  return editor;
}

test.each(Object.keys(EDITORS))(
  '%s by itself: the text is the editor’s own, and goes on',
  async (name) => {
    const editor = await dictateInto(name, ['två ord.']);
    expect(editor.text()).toBe('Ett två ord.');
    await userEvent.keyboard(' Tre');
    await expect.poll(editor.text).toBe('Ett två ord. Tre');
  },
);

test.each(Object.keys(EDITORS))('%s by itself: undone by the editor', async (name) => {
  const editor = await dictateInto(name, ['två ord.']);
  await userEvent.keyboard('{Control>}z{/Control}');
  await expect.poll(editor.text).not.toContain('ord');
});

test.each(['TipTap', 'CodeMirror', 'Quill'])('%s by itself: a text of two lines', async (name) => {
  const editor = await dictateInto(name, ['två\ntre']);
  await expect.poll(() => editor.text().split(/\n+/)).toEqual(['Ett två', 'tre']);
});

test('ProseMirror with no Enter of its own: the two lines become one, so it wants an adapter', async () => {
  const editor = await dictateInto('ProseMirror', ['två\ntre']);
  await expect.poll(editor.text).toBe('Ett två tre');
});

test('Lexical changes a text of two lines: it is seen, and the audio kept', async () => {
  await dictateInto('Lexical', ['två\ntre'], 'altered');
});
