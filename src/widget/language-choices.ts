import type { ListStrings } from './list-strings-sv.ts';

/**
 * What a person can choose of languages: none, which is `automatic` then, what the server knows, what
 * is chosen.
 */
export function languageChoices(
  languages: readonly string[],
  chosen: string,
  strings: ListStrings,
  automatic = '',
): readonly (readonly [code: string, name: string])[] {
  const codes = new Set([...languages, chosen].filter((code) => code !== ''));
  return [
    ['', strings.automaticLanguage(automatic && strings.languageName(automatic))],
    ...[...codes].map((code) => [code, strings.languageName(code)] as const),
  ];
}
