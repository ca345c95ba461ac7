import { languageName } from '../widget/said-in.ts';

/**
 * What is said on nearly every page as it opens: the browser's own names take Chromium 30 ms to
 * load (two cores, not slowed).
 */
const KNOWN_NAMES: ReadonlyMap<string, string> = new Map([
  ['sv sv', 'svenska'],
  ['sv en', 'engelska'],
  ['en sv', 'Swedish'],
  ['en en', 'English'],
]);

/** What is probably spoken here, as a recording has it that names no language. */
export function likelyLanguages(): readonly string[] {
  return [document.documentElement.lang, navigator.language];
}

/** "svenska" for `sv`; the code itself where there is no name. */
export function quickLanguageName(locale: string, code: string): string {
  return KNOWN_NAMES.get(`${locale} ${code}`) ?? languageName(locale, code);
}

/** "svenska, engelska och norska". Nothing is loaded where there is nothing to join. */
export function listText(locale: string, items: readonly string[]): string {
  const [only = ''] = items;
  return items.length < 2 ? only : new Intl.ListFormat(locale).format(items);
}
