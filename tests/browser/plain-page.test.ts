import { expect, onTestFinished, test, vi } from 'vitest';

// Marked elements of a page that has nothing but our script.

/** Attached, it takes no third line break in a row. */
function isAttached(element: HTMLTextAreaElement): boolean {
  const init = { inputType: 'insertLineBreak', cancelable: true, bubbles: true };
  return !element.dispatchEvent(new InputEvent('beforeinput', init));
}

test('an element that is removed is let go of; moved, it stays, and put back, it is attached anew', async () => {
  await import('../../src/plain-page.ts');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const frame = document.createElement('div');
  const element = document.createElement('textarea');
  element.dataset.diktera = '';
  element.value = '\n\n';
  element.setSelectionRange(2, 2);
  document.body.append(frame, element);
  onTestFinished(() => {
    frame.remove();
    element.remove();
  });
  await vi.waitFor(() => expect(isAttached(element)).toBe(true));

  frame.append(element);
  await Promise.resolve();
  frame.remove();
  await Promise.resolve();
  document.body.append(frame);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(isAttached(element)).toBe(true);

  frame.remove();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(isAttached(element)).toBe(false);
  document.body.append(element);
  await vi.waitFor(() => expect(isAttached(element)).toBe(true));
});

test('an element has the options that its attribute has now, and none without it', async () => {
  await import('../../src/plain-page.ts');
  const element = document.createElement('textarea');
  element.dataset.diktera = '{"plainText":false}';
  element.value = '\n\n';
  document.body.append(element);
  element.setSelectionRange(2, 2);
  onTestFinished(() => element.remove());
  await Promise.resolve();
  expect(isAttached(element)).toBe(false);
  element.dataset.diktera = '{"plainText":true}';
  await vi.waitFor(() => expect(isAttached(element)).toBe(true));
  delete element.dataset.diktera;
  await vi.waitFor(() => expect(isAttached(element)).toBe(false));
});
