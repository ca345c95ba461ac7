import { expect, onTestFinished, test } from 'vitest';
import { watchReachable } from '../../src/field/field-watches.ts';
import { mount } from '../helpers/editable-elements.ts';

test('a field that is a frame may take its text again while the user is in it', async () => {
  const frame = mount('<iframe title="Editor" srcdoc="<body contenteditable>"></iframe>');
  if (!(frame instanceof HTMLIFrameElement)) throw new Error('No frame');
  await expect.poll(() => frame.contentDocument?.body?.isContentEditable).toBe(true);
  frame.contentDocument?.body.focus();
  await expect.poll(() => document.activeElement).toBe(frame);
  let isEditable = false;
  let tries = 0;
  const field = { element: frame, isComposing: false, isEditable: () => isEditable };
  const end = watchReachable(field as unknown as Parameters<typeof watchReachable>[0], () => {
    tries += 1;
  });
  onTestFinished(end);
  isEditable = true;
  await expect.poll(() => tries).toBeGreaterThan(0);
});
