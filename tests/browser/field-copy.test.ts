import { expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { copyText } from '../../src/field/copy-text.ts';
import { fieldOf, mount, mountTyped } from '../helpers/editable-elements.ts';

function warnings() {
  const lines: unknown[][] = [];
  return { lines, log: { warn: (...line: unknown[]) => lines.push(line) } };
}

test('what is copied by a click can be pasted', async () => {
  const { lines, log } = warnings();
  const element = await mountTyped('textarea', '');
  const button = mount('<button type="button">Kopiera</button>');
  const copied = new Promise((resolve) => {
    button.addEventListener('click', () => {
      resolve(copyText('ett\ntvå', { clipboard: navigator.clipboard, log }));
    });
  });
  await userEvent.click(button);
  expect({ isCopied: await copied, lines }).toEqual({ isCopied: true, lines: [] });
  element.focus();
  await userEvent.paste();
  expect(fieldOf(element).text()).toBe('ett\ntvå');
});

test('no clipboard: a warning, false, no word of the text', async () => {
  const { lines, log } = warnings();
  expect(await copyText('hemligt', { clipboard: undefined, log })).toBe(false);
  expect(lines).toEqual([['Clipboard not supported']]);
});

test('a clipboard that refuses: a warning with the reason, and false', async () => {
  const { lines, log } = warnings();
  const refusal = new DOMException('no', 'NotAllowedError');
  const clipboard = { writeText: () => Promise.reject(refusal) };
  expect(await copyText('hemligt', { clipboard, log })).toBe(false);
  expect(lines).toEqual([['Copying failed', refusal]]);
});
