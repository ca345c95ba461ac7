import { describe, expect, onTestFinished, test } from 'vitest';
import { createEditableField } from '../../src/field/create-editable-field.ts';
import type { EditableField, PieceTrail } from '../../src/field/editable-field.ts';
import {
  fieldOf,
  KINDS,
  markCaret,
  mount,
  mountTyped,
  press,
  select,
  type,
  undo,
} from '../helpers/editable-elements.ts';
import { commit, compose } from '../helpers/input-method.ts';

function setEditable(element: HTMLElement, isEditable: boolean): void {
  if ('readOnly' in element) element.readOnly = !isEditable;
  else element.contentEditable = String(isEditable);
}

function trailOf(field: EditableField): PieceTrail {
  const cursor = field.saveCursor();
  const trail = cursor && field.trail?.(cursor);
  if (!trail) throw new Error('No trail');
  return trail;
}

describe.each(KINDS)('a dictation in pieces into %s', (kind) => {
  test('each piece stands behind the one before, and is an undo step of its own', async () => {
    const element = await mountTyped(kind, 'Hej värld');
    select(element, 3);
    const field = fieldOf(element);
    const trail = trailOf(field);
    expect(await trail.insert('på')).toEqual({ kind: 'inserted', text: ' på' });
    await trail.insert('dig');
    await trail.insert('du');
    expect(field.text()).toBe('Hej på dig du värld');
    await markCaret();
    expect(field.text()).toBe('Hej på dig du| värld');
    await undo();
    await undo();
    expect(field.text()).toBe('Hej på dig värld');
    await undo();
    expect(field.text()).toBe('Hej på värld');
  });

  test('what is typed behind a piece stays behind the next one', async () => {
    const field = fieldOf(await mountTyped(kind, ''));
    const trail = trailOf(field);
    await trail.insert('ett');
    await type('!');
    await trail.insert('två');
    expect(field.text()).toBe(' ett två!');
  });

  test('the last pieces alone are taken back, and what comes then stands in their place', async () => {
    const field = fieldOf(await mountTyped(kind, 'Hej'));
    const trail = trailOf(field);
    await trail.insert('ett.', { spacing: 'smart' });
    await trail.insert('Två.', { spacing: 'smart' });
    await trail.insert('Tre.', { spacing: 'smart' });
    await trail.takeBackLast?.(2);
    expect(field.text().trim()).toBe('Hej ett.');
    await trail.insert('Fyra.', { spacing: 'smart' });
    expect(field.text()).toBe('Hej ett. Fyra.');
    await trail.takeBackLast?.(1);
    await trail.takeBackLast?.(0);
    expect(field.text().trim()).toBe('Hej ett.');
    expect(trail.stands()).toBe(true);
  });

  test('a piece of which nothing went in is the last one all the same', async () => {
    const field = fieldOf(await mountTyped(kind, 'Hej'));
    const trail = trailOf(field);
    await trail.insert('ett');
    expect(await trail.insert(' ')).toMatchObject({ kind: 'empty' });
    await trail.takeBackLast?.(1);
    expect(field.text()).toBe('Hej ett');
    await trail.takeBackLast?.(1);
    expect(field.text().trim()).toBe('Hej');
  });

  test('is taken back whole, and what was selected comes back', async () => {
    const element = await mountTyped(kind, 'en röd bil');
    select(element, 3, 6);
    const field = fieldOf(element);
    const trail = trailOf(field);
    await trail.insert('blå');
    await trail.insert('och');
    await trail.insert('grön');
    expect(field.text()).toBe('en  blå och grön bil');
    expect(trail.stands()).toBe(true);
    await trail.takeBack();
    expect(field.text()).toBe('en röd bil');
    expect(trail.stands()).toBe(false);
    await markCaret();
    expect(field.text()).toBe('en röd| bil');
  });

  test('taken back, a piece that was changed stays, and so does what was typed between', async () => {
    const element = await mountTyped(kind, 'noll');
    const field = fieldOf(element);
    const trail = trailOf(field);
    await trail.insert('ett');
    await trail.insert('två');
    await trail.insert('tre');
    select(element, 'noll ett tv'.length);
    await type('x');
    await trail.takeBack();
    expect(field.text()).toBe('noll tvxå');
  });

  test('answers which went out, and takes the others out later', async () => {
    const element = await mountTyped(kind, 'noll');
    const field = fieldOf(element);
    const trail = trailOf(field);
    for (const word of ['ett', 'två', 'tre']) await trail.insert(word);
    select(element, 'noll ett tv'.length);
    await type('x');
    setEditable(element, false);
    expect(await trail.takeBackLast?.(1)).toBe(false);
    expect(await trail.takeBack()).toEqual([]);
    expect(field.text()).toBe('noll ett tvxå tre');
    expect(trail.stands()).toBe(true);
    setEditable(element, true);
    expect(await trail.takeBackLast?.(1)).toBe(true);
    expect(field.text().trim()).toBe('noll ett tvxå');
    expect(await trail.takeBack()).toEqual([0]);
    expect(field.text().trim()).toBe('noll tvxå');
    trail.release();
    expect(await trail.takeBackLast?.(1)).toBe(false);
  });

  test('nothing is taken out while a frame has the focus', async () => {
    const element = await mountTyped(kind, 'noll');
    const field = fieldOf(element);
    const trail = trailOf(field);
    await trail.insert('ett');
    const frame = mount('<iframe srcdoc="<input>"></iframe>') as HTMLIFrameElement;
    await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    frame.contentDocument!.querySelector('input')!.focus();
    expect(await trail.takeBackLast?.(1)).toBe(false);
    expect(field.text()).toBe('noll ett');
    element.focus();
    expect(await trail.takeBackLast?.(1)).toBe(true);
    expect(field.text().trim()).toBe('noll');
  });

  test('an input method is waited for, and its word is not cut short', async () => {
    const element = await mountTyped(kind, 'noll');
    const field = createEditableField(element, { turnMs: 0, compositionMs: 50 });
    onTestFinished(() => field.dispose());
    const trail = trailOf(field);
    await trail.insert('ett');
    await press('{End}');
    await compose('に');
    expect(await trail.takeBackLast?.(1)).toBe(false);
    expect(field.isComposing).toBe(true);
    expect(field.text()).toBe('noll ettに');
    await compose('にほ');
    await commit('日本');
    expect(await trail.takeBackLast?.(1)).toBe(true);
    expect(field.text()).toBe('noll日本');
  });

  test('undo brings back what was taken back', async () => {
    const field = fieldOf(await mountTyped(kind, 'noll'));
    const trail = trailOf(field);
    await trail.insert('ett');
    await trail.insert('två');
    await trail.takeBack();
    expect(field.text()).toBe('noll');
    await undo();
    expect(field.text()).toBe('noll ett två');
  });

  test('pieces that the user has undone do not stand', async () => {
    const field = fieldOf(await mountTyped(kind, 'noll'));
    const trail = trailOf(field);
    await trail.insert('ett');
    await undo();
    expect(trail.stands()).toBe(false);
    await trail.takeBack();
    expect(field.text()).toBe('noll');
    await trail.insert('två');
    expect(field.text()).toBe('noll två');
  });
});
