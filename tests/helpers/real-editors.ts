import { history as codeHistory, historyKeymap } from '@codemirror/commands';
import { EditorState as CodeState } from '@codemirror/state';
import { EditorView as CodeView, keymap as codeKeymap } from '@codemirror/view';
import EditorJS from '@editorjs/editorjs/dist/editorjs.mjs';
import { createEmptyHistoryState, registerHistory } from '@lexical/history';
import { registerPlainText } from '@lexical/plain-text';
import { registerRichText } from '@lexical/rich-text';
import { editorViewCtx, Editor as Milkdown, rootCtx } from '@milkdown/kit/core';
import { history as milkdownHistory } from '@milkdown/kit/plugin/history';
import { commonmark } from '@milkdown/kit/preset/commonmark';
import { Editor } from '@tiptap/core';
import StarterKit from '@tiptap/starter-kit';
import { Jodit } from 'jodit';
import { $createParagraphNode, $getRoot, createEditor, type LexicalEditor } from 'lexical';
import { history, redo, undo } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import { type Node, Schema } from 'prosemirror-model';
import { schema } from 'prosemirror-schema-basic';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import Quill from 'quill';
import Squire from 'squire-rte';
import suneditor from 'suneditor';
import 'suneditor/css/editor';
import 'trix';
import { onTestFinished } from 'vitest';
import { mountSlate } from './slate-editor.tsx';

/** An editor of somebody else's: the element one types in, and its text as its own state has it. */
export type MountedEditor = {
  readonly element: HTMLElement;
  readonly text: () => string;
  /** Moves the caret in the editor's own state, before it is drawn. */
  readonly moveCaretToEnd?: () => void;
  /** It takes a change into its history so much later, in ms. @default at once */
  readonly historyMs?: number;
};

function textOfDoc(doc: Node): string {
  const leafText = (leaf: Node): string => (/hard_?break/i.test(leaf.type.name) ? '\n' : '');
  return doc.textBetween(0, doc.content.size, '\n', leafText);
}

function mountProseMirror(host: HTMLElement, itsSchema: Schema): MountedEditor {
  const plugins = [history(), keymap({ 'Mod-z': undo, 'Mod-y': redo })];
  const view = new EditorView(host, { state: EditorState.create({ schema: itsSchema, plugins }) });
  onTestFinished(() => view.destroy());
  return { element: view.dom, text: () => textOfDoc(view.state.doc) };
}

/** As docs/editors.md says it. */
const schemaWithBreaks = new Schema({
  nodes: schema.spec.nodes.update('hard_break', {
    ...schema.spec.nodes.get('hard_break'),
    linebreakReplacement: true,
  }),
  marks: schema.spec.marks,
});

function mountLexical(
  host: HTMLElement,
  register: (editor: LexicalEditor) => () => void,
): MountedEditor {
  host.contentEditable = 'true';
  const editor = createEditor({
    onError(error) {
      throw error;
    },
  });
  editor.setRootElement(host);
  register(editor);
  registerHistory(editor, createEmptyHistoryState(), 300);
  return { element: host, text: () => editor.read(() => $getRoot().getTextContent()) };
}

/** The visible text of an editor that keeps its text in its element. */
const shownText = (element: HTMLElement): string =>
  element.innerText
    .replace(/[\u200B\uFEFF]/g, '')
    .replaceAll('\u00A0', ' ')
    .replace(/\n+$/, '');

function within(host: HTMLElement, selector: string): HTMLElement {
  const found = host.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`No ${selector}`);
  return found;
}

/** Each as its own documentation sets it up, with its own history. */
export const EDITORS: Readonly<
  Record<string, (host: HTMLElement) => MountedEditor | Promise<MountedEditor>>
> = {
  ProseMirror: (host) => mountProseMirror(host, schema),
  'ProseMirror with line breaks': (host) => mountProseMirror(host, schemaWithBreaks),
  TipTap(host) {
    const editor = new Editor({ element: host, extensions: [StarterKit] });
    onTestFinished(() => editor.destroy());
    return { element: editor.view.dom, text: () => editor.getText() };
  },
  async Milkdown(host) {
    const editor = await Milkdown.make()
      .config((context) => context.set(rootCtx, host))
      .use(commonmark)
      .use(milkdownHistory)
      .create();
    onTestFinished(() => void editor.destroy());
    const view = editor.ctx.get(editorViewCtx);
    return { element: view.dom, text: () => textOfDoc(view.state.doc) };
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
  Slate: mountSlate,
  Lexical: (host) => mountLexical(host, registerPlainText),
  'Lexical with rich text': (host) =>
    mountLexical(host, (editor) => {
      editor.update(() => void $getRoot().append($createParagraphNode()));
      return registerRichText(editor);
    }),
  async Trix(host) {
    const ready = new Promise((resolve) => host.addEventListener('trix-initialize', resolve));
    host.innerHTML = '<trix-editor></trix-editor>';
    await ready;
    const element = within(host, 'trix-editor') as HTMLElement & {
      readonly editor: { getDocument(): { toString(): string } };
    };
    return {
      element,
      text: () =>
        element.editor.getDocument().toString().replace(/\n$/, '').replaceAll('\u00A0', ' '),
    };
  },
  async 'Editor.js'(host) {
    const editor = new EditorJS({ holder: host, minHeight: 0 });
    await editor.isReady;
    onTestFinished(() => editor.destroy());
    return { element: within(host, '[contenteditable=true]'), text: () => shownText(host) };
  },
  Jodit(host) {
    const editor = Jodit.make(host.appendChild(document.createElement('textarea')));
    onTestFinished(() => editor.destruct());
    return { element: editor.editor, text: () => shownText(editor.editor) };
  },
  SunEditor(host) {
    const area = host.appendChild(document.createElement('textarea'));
    const editor = suneditor.create(area, { plugins: [], buttonList: [['undo', 'redo']] });
    const element = within(document.body, '.sun-editor-editable');
    // The editor reacts to its shrinking a moment later, when it would be gone already.
    onTestFinished(async () => {
      element.closest('.sun-editor')?.remove();
      for (let frames = 3; frames > 0; frames -= 1)
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      editor.destroy();
    });
    return { element, text: () => shownText(element), historyMs: 500 };
  },
  Squire(host) {
    const squire = new Squire(host, {
      sanitizeToDOMFragment: (html) => document.createRange().createContextualFragment(html),
    });
    onTestFinished(() => squire.destroy());
    return { element: host, text: () => shownText(host) };
  },
};
