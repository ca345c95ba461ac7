import { expect, test, vi } from 'vitest';
import { shareField } from '../../src/field/shared-field.ts';
import { mountKind, select, textOf } from '../helpers/editable-elements.ts';

function shared() {
  const element = mountKind('textarea');
  element.focus();
  select(element, 0);
  const share = shareField(element);
  const dispose = vi.spyOn(share.field, 'dispose');
  return { element, ...share, dispose };
}

test('is disposed of when nobody wants it', () => {
  const { element, field, leave, dispose } = shared();
  const other = shareField(element);
  expect(other.field).toBe(field);
  leave();
  leave();
  expect(dispose).not.toHaveBeenCalled();
  other.leave();
  expect(dispose).toHaveBeenCalledTimes(1);
  const next = shareField(element);
  expect(next.field, 'one that works').not.toBe(field);
  next.leave();
});

test('but not before the text that its cursor waits for is in', async () => {
  const { element, field, leave, dispose } = shared();
  const cursor = field.saveCursor();
  leave();
  expect(dispose).not.toHaveBeenCalled();
  expect(await field.insert('ord', cursor)).toMatchObject({ kind: 'inserted' });
  expect(textOf(element)).toBe(' ord');
  expect(dispose).toHaveBeenCalledTimes(1);
});

test('whoever comes meanwhile goes on with it', () => {
  const { element, field, leave, dispose } = shared();
  const cursor = field.saveCursor();
  leave();
  const next = shareField(element);
  expect(next.field).toBe(field);
  cursor?.release();
  expect(dispose).not.toHaveBeenCalled();
  next.leave();
  expect(dispose).toHaveBeenCalledTimes(1);
});

test('an element that goes is waited for no longer', async () => {
  const { element, field, leave, dispose } = shared();
  const cursor = field.saveCursor();
  leave();
  element.remove();
  await expect.poll(() => dispose.mock.calls.length).toBe(1);
  expect(await field.insert('ord', cursor)).toEqual({ kind: 'gone' });
});
