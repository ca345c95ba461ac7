import { useState } from 'react';
import { describe, expect, onTestFinished, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { attachDictation, canDictate } from '../../src/attach-dictation.tsx';
import { mount, undo } from '../helpers/editable-elements.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { render } from '../helpers/render.tsx';

/** An input of type email or number, and the events that the page hears of it. */
function mountInput(html: string, language = 'sv') {
  const element = mount(html) as HTMLInputElement;
  return { element, ...dictateInto(element, language) };
}

function dictateInto(element: HTMLInputElement, language: string) {
  const events: string[] = [];
  for (const type of ['input', 'change'])
    element.addEventListener(type, () => void events.push(`${type} ${element.value}`));
  const dictation = createFakeDictation();
  const attachment = attachDictation(element, { dictation, language });
  onTestFinished(() => attachment());
  const begin = async (): Promise<void> => {
    attachment.start();
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
  };
  const dictate = async (text: string) => {
    await begin();
    return dictation.deliver(text);
  };
  return { events, dictation, begin, dictate };
}

const isWaiting = ({ getSnapshot }: ReturnType<typeof createFakeDictation>): boolean =>
  getSnapshot().queue.items.length === 1;

test.each(['email', 'number'])('an input of type %s can be dictated into', (type) => {
  expect(canDictate(mount(`<input type="${type}">`))).toBe(true);
});

describe('a number', () => {
  test.each([
    ['12,5', 'sv', '12.5'],
    ['Tolv komma fem.', 'sv', '12.5'],
    ['Fem.', 'sv', '5'],
    ['minus fem', 'sv', '-5'],
    ['1\u00a0250', 'sv', '1250'],
    ['12,125', 'sv', '12.125'],
    ['−3.', 'sv', '-3'],
    ['Twelve point five.', 'en', '12.5'],
    ['1,250', 'en', '1250'],
    ['2,250,000.5', 'en', '2250000.5'],
    ['7.', 'de', '7'],
  ])('"%s" in %s is %s', async (text, language, value) => {
    const { element, events, dictate } = mountInput('<input type="number" step="any">', language);
    element.focus();
    expect(await dictate(text)).toBe(true);
    expect(element.value).toBe(value);
    expect(events).toEqual([`input ${value}`]);
    element.blur();
    expect(events).toEqual([`input ${value}`, `change ${value}`]);
  });

  test.each([
    ['tolv och en halv', 'sv'],
    ['12,5 kg', 'sv'],
    ['tolv fem', 'sv'],
    ['2026-11-27', 'sv'],
    // 1250 to some, and 1.25 to others.
    ['1.250', 'sv'],
    ['1,25', 'en'],
    ['', 'en'],
  ])('"%s" in %s does not go in: it waits, and the value stays', async (text, language) => {
    const { element, events, dictation, dictate } = mountInput(
      '<input type="number" step="any" value="7">',
      language,
    );
    element.focus();
    expect(await dictate(text)).toBe(text === '');
    expect(isWaiting(dictation)).toBe(text !== '');
    expect(element.value).toBe('7');
    expect(events).toEqual([]);
  });

  test('takes the place of the one that stood there, and one undo brings that back', async () => {
    const { element, dictate } = mountInput('<input type="number" step="any">');
    await userEvent.click(element);
    await userEvent.keyboard('7');
    expect(await dictate('12,5')).toBe(true);
    expect(element.value).toBe('12.5');
    await undo();
    expect(element.value).toBe('7');
  });

  test('does not take the place of one that was typed meanwhile', async () => {
    const { element, dictation, begin } = mountInput('<input type="number">');
    await userEvent.click(element);
    await begin();
    await userEvent.keyboard('8');
    expect(await dictation.deliver('12')).toBe(false);
    expect(element.value).toBe('8');
    expect(isWaiting(dictation)).toBe(true);
  });

  test('comes late, and leaves the user in another field', async () => {
    const other = mount('<input value="Hej">') as HTMLInputElement;
    const { element, events, dictation, begin } = mountInput('<input type="number">');
    element.focus();
    await begin();
    other.focus();
    other.setSelectionRange(1, 2);
    expect(await dictation.deliver('12')).toBe(true);
    expect(element.value).toBe('12');
    expect(events).toEqual(['input 12', 'change 12']);
    expect(document.activeElement).toBe(other);
    expect([other.selectionStart, other.selectionEnd]).toEqual([1, 2]);
  });

  test('stays out while it is read-only, and goes in when it is not', async () => {
    const { element, dictation, begin } = mountInput('<input type="number">');
    element.focus();
    await begin();
    element.readOnly = true;
    void dictation.deliver('12');
    await expect.poll(() => dictation.heldPlaces.size).toBe(1);
    expect(element.value).toBe('');
    element.readOnly = false;
    await expect.poll(() => element.value).toBe('12');
  });

  test('reaches the state of a page made with React', async () => {
    const seen: string[] = [];
    function Amount() {
      const [amount, setAmount] = useState('3');
      seen.push(amount);
      return (
        <input type="number" value={amount} onChange={({ target }) => setAmount(target.value)} />
      );
    }
    const { host } = render(<Amount />);
    const element = host.querySelector('input')!;
    const { dictate } = dictateInto(element, 'sv');
    element.focus();
    expect(await dictate('fyrtiotvå')).toBe(true);
    expect(element.value).toBe('42');
    expect(seen.at(-1)).toBe('42');
  });

  test('is refused by a page that takes it back, and waits', async () => {
    const { element, dictation, dictate } = mountInput('<input type="number">');
    element.addEventListener('input', () => {
      element.value = '';
    });
    element.focus();
    expect(await dictate('12')).toBe(false);
    expect(isWaiting(dictation)).toBe(true);
  });
});

describe('an email address', () => {
  test.each([
    ['', 'Anna.Svensson@exempel.se.', 'anna.svensson@exempel.se'],
    ['', 'Anna punkt Svensson snabel-a exempel punkt se', 'anna.svensson@exempel.se'],
    ['', 'anna understreck b snabel a exempel.se', 'anna_b@exempel.se'],
    ['', 'Anna at example dot com.', 'anna@example.com'],
    ['anna', '@exempel.se', 'anna@exempel.se'],
    ['anna@', 'exempel punkt se', 'anna@exempel.se'],
    ['bo@exempel.se', 'anna@exempel.se', 'anna@exempel.se'],
  ])('to "%s" comes "%s": %s', async (before, text, value) => {
    const { element, events, dictate } = mountInput('<input type="email">');
    await userEvent.click(element);
    if (before !== '') await userEvent.keyboard(before);
    events.length = 0;
    expect(await dictate(text)).toBe(true);
    expect(element.value).toBe(value);
    expect(events).toEqual([`input ${value}`]);
    await undo();
    expect(element.value).toBe(before);
  });

  test('goes behind others where there may be several, also those typed meanwhile', async () => {
    const { element, dictation, begin } = mountInput('<input type="email" multiple>');
    await userEvent.click(element);
    await begin();
    await userEvent.keyboard('bo@exempel.se');
    expect(await dictation.deliver('Anna snabel-a exempel punkt se')).toBe(true);
    expect(element.value).toBe('bo@exempel.se,anna@exempel.se');
  });

  test.each([
    ['', 'Hej på dig'],
    ['', 'anna'],
    ['anna', 'bo@exempel.se och mer'],
    ['anna@exempel.se', 'svensson'],
  ])('to "%s" comes "%s", which is none: it waits, and the value stays', async (before, text) => {
    const { element, dictation, dictate } = mountInput(`<input type="email" value="${before}">`);
    element.focus();
    expect(await dictate(text)).toBe(false);
    expect(element.value).toBe(before);
    expect(isWaiting(dictation)).toBe(true);
  });

  test('typed meanwhile stays', async () => {
    const { element, dictation, begin } = mountInput('<input type="email">');
    await userEvent.click(element);
    await begin();
    await userEvent.keyboard('bo@exempel.se');
    expect(await dictation.deliver('anna@exempel.se')).toBe(false);
    expect(element.value).toBe('bo@exempel.se');
  });

  test('longer than the input may hold waits', async () => {
    const { element, dictate } = mountInput('<input type="email" maxlength="8">');
    element.focus();
    expect(await dictate('anna@exempel.se')).toBe(false);
    expect(element.value).toBe('');
  });
});
