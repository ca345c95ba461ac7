import { resolve } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser } from './helpers/speaking-browser.ts';

/**
 * Does to a page's texts what a translating browser does: it replaces them, over and over, with
 * other texts in other elements. It begins before the page's script and respects no opt-out.
 */
function translate(): void {
  const translateAll = (): void => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const text of texts) {
      const parent = text.parentElement;
      if (!parent || /^(FONT|SCRIPT|STYLE)$/.test(parent.tagName)) continue;
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      outer.append(inner);
      // The person's own words stay as they are, for the test to find.
      inner.append(parent.closest('.field-text') ? text.data : text.data.toUpperCase());
      text.replaceWith(outer);
    }
    observer.takeRecords();
  };
  const observer = new MutationObserver(translateAll);
  const begin = (): void => {
    const field = document.querySelector('.field-text');
    if (!field) return;
    field.append('Skrivet före sidan.');
    waiting.disconnect();
    translateAll();
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  };
  const waiting = new MutationObserver(begin);
  waiting.observe(document, { subtree: true, childList: true });
}

test('a page that is translated before and while it works keeps its text, and takes a dictation', async () => {
  const { page, errors, close } = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-one.wav'),
    url: 'about:blank',
  });
  onTestFinished(close);
  await page.addInitScript(translate);
  await page.goto(inject('serverUrl'));
  const { field, bar } = dictationPage(page);
  await expect.poll(() => field.innerText()).toContain('Skrivet före sidan.');
  await field.click();
  const press = (name: string) => page.getByRole('button', { name: new RegExp(name, 'i') }).first();
  await press('^diktera$').click();
  await page.locator('[data-phase="recording"]').waitFor();
  const time = page.locator('.recording-time');
  await expect.poll(() => time.textContent(), { timeout: 30_000 }).toMatch(/0:0[3-9]/);
  await press('^klar$').click();
  await bar.waitFor({ state: 'detached', timeout: 60_000 });
  await press('^alternativ$').click();
  const summary = (title: string) => page.locator('summary', { hasText: new RegExp(title, 'i') });
  await summary('^om diktera$').click();
  for (const _ of ['open', 'close']) await summary('^diagnostik$').click();
  await summary('^om diktera$').click();
  await press('^stäng$').click();
  const text = await field.innerText();
  expect(text).toContain('Skrivet före sidan.');
  expect(text.replace('Skrivet före sidan.', '').trim()).not.toBe('');
  expect(errors.filter((error) => error.includes('Node'))).toEqual([]);
});
