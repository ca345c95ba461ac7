import { describe, expect, onTestFinished, test } from 'vitest';
import { createCompositionWatch } from '../../src/field/composition-watch.ts';
import { createEditableField } from '../../src/field/create-editable-field.ts';
import {
  fieldOf,
  KINDS,
  mountTyped,
  press,
  select,
  type,
  undo,
} from '../helpers/editable-elements.ts';
import { inChromium } from '../helpers/engine.ts';
import { commit, compose } from '../helpers/input-method.ts';

/** Lets everything that is due now happen. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 20));

describe.each(KINDS)('an input method composing in %s', (kind) => {
  test('is waited for; then the text goes to its cursor', async () => {
    const element = await mountTyped(kind, 'ab cd');
    select(element, 2);
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    await press('{End}');
    await compose('にほ');
    expect(field.isComposing).toBe(true);
    const pending = field.insert('x', cursor);
    await turn();
    expect(field.text()).toBe('ab cdにほ');
    await compose('日本');
    await commit('日本');
    expect(await pending).toEqual({ kind: 'inserted', text: ' x' });
    expect(field.isComposing).toBe(false);
    expect(field.text()).toBe('ab x cd日本');
    await type('!');
    expect(field.text()).toBe('ab x cd日本!');
    await undo();
    await undo();
    expect(field.text()).toBe('ab cd日本');
  });

  test('at the cursor itself: what is composed comes after the dictation', async () => {
    const field = fieldOf(await mountTyped(kind, 'ab'));
    const cursor = field.saveCursor();
    await compose('日');
    const pending = field.insert('x', cursor);
    await commit('日');
    await pending;
    expect(field.text()).toBe('ab x日');
  });

  test('in another field is waited for too: its word is not cut short', async () => {
    const field = fieldOf(await mountTyped(kind, 'ab'));
    const cursor = field.saveCursor();
    const other = fieldOf(await mountTyped('textarea', ''));
    await compose('に');
    const pending = field.insert('x', cursor);
    await turn();
    expect(field.text()).toBe('ab');
    await commit('日');
    await pending;
    expect(field.text()).toBe('ab x');
    expect(other.text()).toBe('日');
  });

  test('for ever is not waited for: its word is left alone, and the text comes when it is done', async () => {
    const element = await mountTyped(kind, 'ab');
    const field = createEditableField(element, { turnMs: 0, compositionMs: 50 });
    onTestFinished(() => field.dispose());
    const cursor = field.saveCursor();
    await compose('に');
    expect(await field.insert('x', cursor)).toEqual({ kind: 'deferred' });
    expect(field.isComposing).toBe(true);
    await compose('にほ');
    await commit('日本');
    expect(await field.insert('x', cursor)).toEqual({ kind: 'inserted', text: ' x' });
    expect(field.text()).toBe('ab x日本');
  });

  inChromium(
    'that another button is pressed for takes its word as it stands; nobody sees the focus go (Firefox, WebKitGTK: a test has no input method that the focus ends)',
    async () => {
      const element = await mountTyped(kind, 'ab cd');
      select(element, 2);
      const field = fieldOf(element);
      await compose('ef');
      const seen: string[] = [];
      for (const name of ['focus', 'blur', 'focusin', 'focusout', 'compositionend']) {
        document.addEventListener(name, () => seen.push(name), {
          capture: true,
          signal: AbortSignal.timeout(5_000),
        });
      }
      field.endComposition?.();
      expect(seen).toEqual(['compositionend']);
      expect(field.isComposing).toBe(false);
      expect(document.activeElement).toBe(element);
      const cursor = field.saveCursor();
      await field.insert('x', cursor);
      expect(field.text()).toBe('abef x cd');
      await type('!');
      expect(field.text()).toBe('abef x! cd');
    },
  );

  test('whose end nobody tells is over when the focus moves on', async () => {
    const element = await mountTyped(kind, 'ab');
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    element.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
    const pending = field.insert('x', cursor);
    await turn();
    expect(field.text()).toBe('ab');
    element.blur();
    expect((await pending).kind).toBe('inserted');
  });

  test('whose element is taken away ends the wait', async () => {
    const element = await mountTyped(kind, 'ab');
    const field = fieldOf(element);
    await compose('に');
    const pending = field.insert('x', field.saveCursor());
    element.remove();
    expect(await pending).toEqual({ kind: 'gone' });
  });

  test('when the field is disposed of ends the wait', async () => {
    const field = fieldOf(await mountTyped(kind, 'ab'));
    await compose('に');
    const pending = field.insert('x', field.saveCursor());
    field.dispose();
    expect(await pending).toEqual({ kind: 'gone' });
    await commit('に');
  });
});

test('a composition whose end nobody tells is over when its element is gone', async () => {
  const watch = createCompositionWatch(document);
  onTestFinished(() => watch.dispose());
  const lost = document.createElement('div');
  document.body.append(lost);
  lost.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
  expect(watch.isComposing()).toBe(true);
  const settled = watch.untilSettled(60_000);
  lost.remove();
  await settled;
  expect(watch.isComposing()).toBe(false);
});
