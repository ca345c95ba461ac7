import { expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { mountField, seenToolbar, toolbar } from '../helpers/dictation-field.tsx';

test('the toolbar has no backdrop: each would be a picture as large as the window', async () => {
  const { element } = mountField({});
  await userEvent.click(element);
  await seenToolbar();
  expect(toolbar()?.matches(':popover-open')).toBe(true);
  expect(getComputedStyle(toolbar()!, '::backdrop').display).toBe('none');
});
