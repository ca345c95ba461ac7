import { history, redo, undo } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import { schema } from 'prosemirror-schema-basic';
import { EditorState, Plugin, TextSelection } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { expect, onTestFinished, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import { button } from '../helpers/dictation-field.tsx';
import { mount } from '../helpers/editable-elements.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { createProseMirrorField } from '../helpers/prosemirror-field.ts';

/** An editor that owns its DOM, dictated into by its adapter as anybody would. */
function mountEditor(text: string, others: readonly Plugin[] = []) {
  const host = mount('<div style="white-space: pre-wrap"></div>');
  const doc = schema.node('doc', null, [
    schema.node('paragraph', null, text === '' ? [] : [schema.text(text)]),
  ]);
  const plugins = [history(), keymap({ 'Mod-z': undo, 'Mod-y': redo }), ...others];
  const view = new EditorView(host, { state: EditorState.create({ doc, plugins }) });
  const field = createProseMirrorField(view);
  const dictation = createFakeDictation();
  const detach = attachDictation(field, { dictation });
  onTestFinished(() => {
    detach();
    view.destroy();
  });
  const select = (from: number, to = from) => {
    view.focus();
    view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, from, to)));
  };
  const record = async () => {
    detach.start();
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
  };
  return { view, field, dictation, select, record };
}

test('at the cursor where Diktera was pressed, which follows edits before it', async () => {
  const { view, field, dictation, select } = mountEditor('ett två');
  select(4);
  const shadow = () => document.querySelector('diktera-tools')?.shadowRoot;
  await expect.poll(() => shadow()?.querySelector('.toolbar')).toBeTruthy();
  await userEvent.click(button('Diktera', shadow()!));
  await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
  select(1);
  await userEvent.keyboard('noll ');
  expect(await dictation.deliver('och')).toBe(true);
  expect(field.text()).toBe('noll ett och två');
  expect(view.dom.textContent).toBe('noll ett och två');
  expect(view.state.selection.from).toBe(6);
});

test('one undo step a dictation, beside those of typing, in the editor’s own history', async () => {
  const { field, dictation, select, record } = mountEditor('');
  select(1);
  await userEvent.keyboard('a');
  await record();
  await dictation.deliver('b\nc');
  expect(field.text()).toBe('a b\nc');
  await userEvent.keyboard('d');
  await userEvent.keyboard('{Control>}z{/Control}');
  expect(field.text()).toBe('a b\nc');
  await userEvent.keyboard('{Control>}z{/Control}');
  expect(field.text()).toBe('a');
  await userEvent.keyboard('{Control>}y{/Control}');
  expect(field.text()).toBe('a b\nc');
});

test('what was selected is replaced only while it is as it was', async () => {
  const { field, dictation, select, record } = mountEditor('bort kvar');
  select(1, 5);
  await record();
  await dictation.deliver('hit');
  expect(field.text()).toBe('hit kvar');
  select(5, 9);
  await record();
  select(7);
  await userEvent.keyboard('x');
  await dictation.deliver('nytt');
  expect(field.text()).toBe('hit kvxar nytt');
});

test('the focus elsewhere is left alone, and a destroyed editor takes nothing', async () => {
  const { view, field, dictation, select, record } = mountEditor('text');
  const elsewhere = mount('<input>');
  select(5);
  await record();
  elsewhere.focus();
  expect(await dictation.deliver('mer')).toBe(true);
  expect(document.activeElement).toBe(elsewhere);
  expect(field.text()).toBe('text mer');
  select(5);
  await record();
  view.destroy();
  expect(await dictation.deliver('kvar')).toBe(false);
});

test('a plugin that cuts what was put in makes it altered; one that refuses it, refused', async () => {
  const cutting = new Plugin({
    appendTransaction: (_all, _before, { doc, tr }) =>
      doc.textContent.length > 10 ? tr.delete(11, doc.content.size - 1) : null,
  });
  const cut = mountEditor('text', [cutting]);
  cut.select(5);
  const outcome = await cut.field.insert('ett två tre', cut.field.saveCursor());
  expect(outcome).toEqual({ kind: 'altered', text: ' ett två tre' });
  expect(cut.field.text()).toBe('text ett t');

  const refusing = new Plugin({ filterTransaction: ({ docChanged }) => !docChanged });
  const full = mountEditor('text', [refusing]);
  full.select(5);
  const refused = await full.field.insert('ett', full.field.saveCursor());
  expect(refused).toEqual({ kind: 'refused' });
});
