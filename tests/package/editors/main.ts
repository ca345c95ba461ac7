import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import ace from 'ace-builds';
import { ClassicEditor, Essentials, Paragraph } from 'ckeditor5';
import { attachDictation, type EditableField } from 'diktera/attach';
import { ckEditorField } from 'diktera/editors/ckeditor';
import { codeMirrorField } from 'diktera/editors/codemirror';
import { monacoField } from 'diktera/editors/monaco';
import { tinyMceField } from 'diktera/editors/tinymce';
import * as monaco from 'monaco-editor/editor/editor.api';
import tinymce from 'tinymce';
import 'tinymce/icons/default';
import 'tinymce/models/dom';
import 'tinymce/themes/silver';
import 'ckeditor5/ckeditor5.css';
import 'tinymce/skins/ui/oxide/skin.min.css';
// The sample of docs/editors.md.
import { aceField } from './ace-field.js';

/** An editor with its adapter, attached as the guide says it. */
export type Mounted = {
  readonly field: EditableField;
  text(): string;
  setReadOnly(isReadOnly: boolean): void;
};

const at = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

function mountCodeMirror(): Mounted {
  const reading = new Compartment();
  const extensions = [history(), keymap.of([...defaultKeymap, ...historyKeymap]), reading.of([])];
  const view = new EditorView({
    parent: at('codemirror'),
    state: EditorState.create({ extensions }),
  });
  return {
    field: codeMirrorField(view),
    text: () => view.state.doc.toString(),
    setReadOnly: (is) =>
      view.dispatch({ effects: reading.reconfigure(EditorState.readOnly.of(is)) }),
  };
}

function mountMonaco(id: string, editContext: boolean): Mounted {
  const editor = monaco.editor.create(at(id), {
    editContext,
    // It would complete words by itself.
    quickSuggestions: false,
    wordBasedSuggestions: 'off',
    minimap: { enabled: false },
  });
  return {
    field: monacoField(editor),
    text: () => editor.getValue(),
    setReadOnly: (readOnly) => editor.updateOptions({ readOnly }),
  };
}

async function mountCkEditor(): Promise<Mounted> {
  const editor = await ClassicEditor.create({
    attachTo: at('ckeditor'),
    licenseKey: 'GPL',
    plugins: [Essentials, Paragraph],
    toolbar: ['undo', 'redo'],
  });
  return {
    field: ckEditorField(editor),
    text: () =>
      editor
        .getData()
        .replace(/<\/p><p>|<br>/g, '\n')
        .replace(/<[^>]+>/g, '')
        .replaceAll('&nbsp;', ' '),
    setReadOnly: (is) =>
      is ? editor.enableReadOnlyMode('test') : editor.disableReadOnlyMode('test'),
  };
}

async function mountTinyMce(id: string, inline: boolean): Promise<Mounted> {
  const [editor] = await tinymce.init({
    target: at(id),
    inline,
    license_key: 'gpl',
    skin: false,
    content_css: false,
    content_style: 'body { font: 16px sans-serif }',
    menubar: false,
    toolbar: false,
    height: 200,
  });
  if (!editor) throw new Error('TinyMCE made no editor');
  return {
    field: tinyMceField(editor),
    text: () =>
      editor.getContent({ format: 'text' }).replace(/\n+/g, '\n').replaceAll('\u00a0', ' '),
    setReadOnly: (is) => editor.mode.set(is ? 'readonly' : 'design'),
  };
}

function mountAce(): Mounted {
  const editor = ace.edit(at('ace'));
  return {
    field: aceField(editor),
    text: () => editor.getValue(),
    setReadOnly: (is) => editor.setReadOnly(is),
  };
}

Object.assign(self, {
  MonacoEnvironment: { getWorker: () => new Worker(URL.createObjectURL(new Blob([]))) },
});

const editors: Readonly<Record<string, Mounted>> = {
  codemirror: mountCodeMirror(),
  monaco: mountMonaco('monaco', true),
  'monaco-area': mountMonaco('monaco-area', false),
  ace: mountAce(),
  ckeditor: await mountCkEditor(),
  tinymce: await mountTinyMce('tinymce', true),
  'tinymce-frame': await mountTinyMce('tinymce-frame', false),
};
for (const { field } of Object.values(editors)) attachDictation(field, { language: 'sv' });
Object.assign(window, { editors });
