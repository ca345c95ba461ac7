import { expect, test } from 'vitest';
import { listText, quickLanguageName } from '../../src/page/server.ts';

const CODES = ['sv', 'en', 'nb', 'de'];

test.each(['sv', 'en'])('a language has the name that the system gives it, in %s', (locale) => {
  const system = new Intl.DisplayNames(locale, { type: 'language' });
  const names = CODES.map((code) => quickLanguageName(locale, code));
  expect(names).toEqual(CODES.map((code) => system.of(code)));
});

test('the names of the page’s own languages load nothing', () => {
  const { DisplayNames } = Intl;
  Object.assign(Intl, { DisplayNames: undefined });
  try {
    expect(quickLanguageName('sv', 'en')).toBe('engelska');
    expect(() => quickLanguageName('sv', 'de')).toThrow();
  } finally {
    Object.assign(Intl, { DisplayNames });
  }
});

test('a list is joined as the language does it', () => {
  expect(listText('sv', [])).toBe('');
  expect(listText('sv', ['svenska'])).toBe('svenska');
  expect(listText('sv', ['svenska', 'engelska', 'norska'])).toBe('svenska, engelska och norska');
  expect(listText('en', ['Swedish', 'English'])).toBe('Swedish and English');
});
