import type { Strings } from './strings-sv.ts';

/** What a person can choose of languages: the server's own choice, what it knows, what is chosen. */
export function languageChoices(
  languages: readonly string[],
  chosen: string,
  strings: Strings['recent'],
): readonly (readonly [code: string, name: string])[] {
  const codes = new Set([...languages, chosen].filter((code) => code !== ''));
  return [
    ['', strings.serverLanguage],
    ...[...codes].map((code) => [code, strings.languageName(code)] as const),
  ];
}
