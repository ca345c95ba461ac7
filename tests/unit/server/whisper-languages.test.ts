import { expect, test } from 'vitest';
import { languageCodeOf, WHISPER_LANGUAGES } from '../../../server/engine/ask-upstream.ts';

test.each([
  ['swedish', 'sv'],
  ['Swedish', 'sv'],
  ['sv', 'sv'],
  ['english', 'en'],
  ['norwegian', 'no'],
  ['nynorsk', 'nn'],
  ['haitian creole', 'ht'],
  ['myanmar', 'my'],
  ['jw', 'jv'],
  ['klingon', ''],
  ['', ''],
  [undefined, ''],
  [7, ''],
])('the language %j is %j', (reported, code) => {
  expect(languageCodeOf(reported)).toBe(code);
});

test('every code of ours is known as itself', () => {
  expect(WHISPER_LANGUAGES.map(languageCodeOf)).toEqual(WHISPER_LANGUAGES);
});
