import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFieldFocus } from '../../src/extension/focus.ts';
import { createDictationServer } from '../../src/extension/serve-dictation.ts';
import { mount } from '../helpers/editable-elements.ts';
import { connectPort } from '../helpers/extension-port.ts';
import { createFakeDictation, type FakeDictation } from '../helpers/fake-dictation.ts';

/* What the extension does in a frame of a page, with Chrome's part of it played here. */

const ID = 'abcdefghijklmnopabcdefghijklmnop';
const CHOICES = { language: 'en', pushToTalkKey: 'F9', interfaceLanguage: 'en' };

let dictation: FakeDictation;
/** Answers what the service worker is asked, when the test lets it. */
let answer: Promise<void>;

beforeEach(() => {
  dictation = createFakeDictation();
  answer = Promise.resolve();
  const server = createDictationServer(dictation);
  const sender = { id: ID, origin: 'https://mail.example.com' };
  vi.stubGlobal('chrome', {
    i18n: { getUILanguage: () => 'en' },
    runtime: {
      id: ID,
      connect: () => connectPort(server, sender).port,
      getURL: () => new URL('../../src/extension/tools.ts', import.meta.url).href,
      async sendMessage({ kind }: { readonly kind: string }) {
        await answer;
        return kind === 'frame-settings' ? { mode: 'key', choices: CHOICES } : true;
      },
    },
  });
});

afterEach(async () => {
  await dictation.stop();
  await dictation.deliver('fever');
  document.querySelector('diktera-tools')?.remove();
});

function press(type: 'keydown' | 'keyup', atMs: number): KeyboardEvent {
  const event = new KeyboardEvent(type, { key: 'F9' });
  Object.defineProperty(event, 'timeStamp', { value: atMs });
  return event;
}

const open = () => createFieldFocus({ addEventListener() {} });

test('a key that was let go before anything could begin: it begins, and ends', async () => {
  const field = mount('<textarea></textarea>');
  field.focus();
  const focus = open();
  let letAnswer = (): void => {};
  answer = new Promise((resolve) => {
    letAnswer = resolve;
  });
  void focus.key(field, press('keydown', 1_000));
  void focus.key(field, press('keyup', 2_000));
  letAnswer();
  await expect.poll(() => dictation.calls).toContain('stop');
  expect(dictation.calls.indexOf('start')).toBeLessThan(dictation.calls.indexOf('stop'));
});

test('a key that was let go where nobody heard it begins when it is pressed once more', async () => {
  const [first, second] = [mount('<textarea></textarea>'), mount('<textarea></textarea>')];
  const focus = open();
  first.focus();
  await focus.key(first, press('keydown', 1_000));
  await expect.poll(() => dictation.calls).toContain('start');
  await dictation.stop();
  await dictation.deliver('cough');
  second.focus();
  await focus.key(second, press('keydown', 9_000));
  await expect.poll(() => dictation.calls.filter((each) => each === 'start').length).toBe(2);
});
