import { expect, onTestFinished, test, vi } from 'vitest';

test('a wrong address and options that are no JSON are told in the console, and all is attached', async () => {
  const complained = vi.spyOn(console, 'error').mockReturnValue();
  const script = document.createElement('script');
  script.dataset.dikteraUrl = 'https://';
  const element = document.createElement('textarea');
  element.dataset.diktera = '{plainText:';
  element.value = '\n\n';
  document.body.append(script, element);
  onTestFinished(() => {
    complained.mockRestore();
    script.remove();
    element.remove();
  });
  await import('../../src/plain-page.ts');
  await vi.waitFor(() => expect(complained).toHaveBeenCalledTimes(2));
  element.setSelectionRange(2, 2);
  // Attached, it takes no third line break in a row.
  const init = { inputType: 'insertLineBreak', cancelable: true, bubbles: true };
  await vi.waitFor(() =>
    expect(element.dispatchEvent(new InputEvent('beforeinput', init))).toBe(false),
  );
});
