import { history, historyKeymap } from '@codemirror/commands';
import { EditorState, Prec, StateEffect, Text } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { describe, expect, onTestFinished, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import { codeMirrorField } from '../../src/editors/codemirror.ts';
import { button } from '../helpers/dictation-field.tsx';
import { mount } from '../helpers/editable-elements.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';

const extensions = [history(), keymap.of(historyKeymap)];

function mountCodeMirror(doc = '', more: readonly unknown[] = []) {
  const host = mount('<div style="height: 200px"></div>');
  const state = EditorState.create({ doc, extensions: [extensions, more as never] });
  const view = new EditorView({ parent: host, state });
  const field = codeMirrorField(view);
  const dictation = createFakeDictation();
  const attachment = attachDictation(field, { dictation });
  onTestFinished(() => {
    attachment();
    field.dispose();
    view.destroy();
  });
  const begin = async (): Promise<void> => {
    attachment.start();
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
  };
  const caretAt = (anchor: number, head = anchor): void => {
    view.focus();
    view.dispatch({ selection: { anchor, head } });
  };
  return { view, field, dictation, begin, caretAt, text: () => view.state.doc.toString() };
}

const undo = () => userEvent.keyboard('{Control>}z{/Control}');
const redo = () => userEvent.keyboard('{Control>}y{/Control}');

describe('CodeMirror by its adapter', () => {
  test('has a toolbar, and takes the text behind what was typed', async () => {
    const { view, dictation, text } = mountCodeMirror();
    await userEvent.click(view.contentDOM);
    await userEvent.keyboard('Ett');
    // While one types it is out of the way.
    await userEvent.click(view.contentDOM);
    const shadow = () => document.querySelector('diktera-tools')?.shadowRoot;
    await expect.poll(() => shadow()?.querySelector('.toolbar')).toBeTruthy();
    await userEvent.click(button('Diktera', shadow()!));
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
    expect(await dictation.deliver('två\ntre.')).toBe(true);
    expect(text()).toBe('Ett två\ntre.');
    await userEvent.keyboard(' Fyra');
    expect(text()).toBe('Ett två\ntre. Fyra');
  });

  test('one undo takes the dictation alone, whatever is typed right before and behind', async () => {
    const { view, dictation, begin, text } = mountCodeMirror();
    await userEvent.click(view.contentDOM);
    await begin();
    await userEvent.keyboard('ett');
    expect(await dictation.deliver('två')).toBe(true);
    await userEvent.keyboard('!');
    const whole = text();
    await undo();
    const withoutMark = text();
    expect(whole.replace('!', '')).toBe(withoutMark);
    await undo();
    expect(text()).toBe('ett');
    await redo();
    expect(text()).toBe(withoutMark);
  });

  test('a late text goes to its place, and the caret stays where the user went', async () => {
    const { view, dictation, begin, caretAt, text } = mountCodeMirror('noll ett tre');
    caretAt(8);
    await begin();
    caretAt(0);
    await userEvent.keyboard('först ');
    caretAt(6, 10);
    expect(await dictation.deliver('två')).toBe(true);
    expect(text()).toBe('först noll ett två tre');
    const { anchor, head } = view.state.selection.main;
    expect([anchor, head]).toEqual([6, 10]);
  });

  test('leaves the focus in another field', async () => {
    const other = mount('<input>') as HTMLInputElement;
    const { dictation, begin, caretAt, text } = mountCodeMirror('ett');
    caretAt(3);
    await begin();
    await userEvent.click(other);
    expect(await dictation.deliver('två')).toBe(true);
    await userEvent.keyboard('Hej');
    expect([text(), other.value]).toEqual(['ett två', 'Hej']);
  });

  test('follows a change of many places at once, on both sides', async () => {
    const { view, dictation, begin, caretAt, text } = mountCodeMirror('a b a b a');
    caretAt(5);
    await begin();
    const changes = [0, 4, 8].map((from) => ({ from, to: from + 1, insert: 'aaa' }));
    view.dispatch({ changes });
    expect(await dictation.deliver('x')).toBe(true);
    expect(text()).toBe('aaa b aaa x b aaa');
  });

  test('what was selected is replaced while it is as it was', async () => {
    const { dictation, begin, caretAt, text } = mountCodeMirror('ett bort tre');
    caretAt(4, 8);
    await begin();
    expect(await dictation.deliver('två')).toBe(true);
    expect(text()).toBe('ett två tre');
    caretAt(4, 7);
    await begin();
    await userEvent.keyboard('nytt');
    expect(await dictation.deliver('två')).toBe(true);
    expect(text()).toBe('ett nytt två tre');
  });

  test('read-only it has no Dictate, and what comes waits until it is not', async () => {
    let isReadOnly = false;
    const filter = EditorState.readOnly;
    const { view, field, dictation, begin, caretAt, text } = mountCodeMirror('ett');
    caretAt(3);
    await begin();
    isReadOnly = true;
    view.dispatch({ effects: StateEffect.appendConfig.of(Prec.highest(filter.of(isReadOnly))) });
    expect(field.isEditable?.()).toBe(false);
    void dictation.deliver('två');
    await expect.poll(() => dictation.heldPlaces.size).toBe(1);
    expect(text()).toBe('ett');
    const cursor = field.saveCursor();
    expect(await field.insert('tre', cursor)).toEqual({ kind: 'not-editable' });
    view.setState(EditorState.create({ doc: 'ett', extensions }));
    await expect.poll(text).toBe('ett två');
  });

  test('a filter that cuts it is told, and one that refuses it', async () => {
    let most = 6;
    const filter = EditorState.changeFilter.of((change) => change.newDoc.length <= most);
    const { dictation, begin, caretAt, text } = mountCodeMirror('ett', [filter]);
    caretAt(3);
    await begin();
    expect(await dictation.deliver('två')).toBe(false);
    expect(text()).toBe('ett');
    most = 9;
    await begin();
    expect(await dictation.deliver('två')).toBe(true);
    expect(text()).toBe('ett två');
  });

  test('whose page sets another state meanwhile takes the text where it can be', async () => {
    const { view, dictation, begin, caretAt, text } = mountCodeMirror('ett tre');
    caretAt(3);
    await begin();
    view.setState(EditorState.create({ doc: Text.of(['noll ett tre']), extensions }));
    expect(await dictation.deliver('två')).toBe(true);
    expect(text()).toBe('noll ett två tre');
  });

  test('of a page that nobody has been in yet it takes the text at its end', async () => {
    const { dictation, begin, text } = mountCodeMirror('ett');
    await begin();
    expect(await dictation.deliver('två')).toBe(true);
    expect(text()).toBe('ett två');
  });

  test('live pieces go in one behind the other, and are taken back whole', async () => {
    const { view, field, caretAt, text } = mountCodeMirror('ett fem');
    caretAt(3);
    const trail = field.trail!(field.saveCursor()!);
    await trail.insert('två', { spacing: 'smart' });
    view.dispatch({ changes: { from: 0, insert: 'noll ' } });
    await trail.insert('tre', { spacing: 'smart' });
    expect(text()).toBe('noll ett två tre fem');
    await trail.takeBack();
    expect(text()).toBe('noll ett fem');
  });
});
