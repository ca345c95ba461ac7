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
  // Another file's tests may have taken the module itself.
  const anew = new URL('../../src/plain-page.ts?mistakes', import.meta.url).href;
  await import(/* @vite-ignore */ anew);
  const said = () => complained.mock.calls.map((all) => all.map(String).join(' ')).join('\n');
  await vi.waitFor(() => expect(said()).toContain('is no JSON'));
  element.setSelectionRange(2, 2);
  // Attached, it takes no third line break in a row.
  const init = { inputType: 'insertLineBreak', cancelable: true, bubbles: true };
  await vi.waitFor(() =>
    expect(element.dispatchEvent(new InputEvent('beforeinput', init))).toBe(false),
  );
});
