import { ApiError } from '../core/api-error.ts';
import { languageCodeOf, WHISPER_LANGUAGES } from '../engine/ask-upstream.ts';
import type { EngineDescription } from '../engine/engine-port.ts';

/**
 * The engine's language for what a client asked; '' stays '' where the engine finds out itself. A
 * region is dropped (`en-GB`, `en_US` are `en`), and names are taken (`English`, `svenska`). Throws
 * 400 for what is no language, and 422 for a language the engine does not have: it would write
 * fluent nonsense.
 *
 * Without a language, that of `browser` counts: the first of the request's Accept-Language, which is
 * refused in the same way. A later one is no substitute, since every browser names English in the
 * end. Without the header (programs send none, or `*`), and where an operator said what an empty
 * language means, it is the default.
 */
export function chooseLanguage(asked: string, engine: EngineDescription, browser = ''): string {
  const given = languageOf(asked);
  if (given !== '') return knownOrRefused(given, engine, '');
  const { defaultLanguage, followsBrowser = false } = engine;
  const isSetByOperator = defaultLanguage !== null && !followsBrowser;
  const first = isSetByOperator ? null : firstLanguageIn(browser);
  if (first === null) return defaultLanguage ?? '';
  const known = knownOrRefused(first, engine, ', the first in Accept-Language');
  return followsBrowser ? known : '';
}

/** A client that sends one of these has no language in mind; most are an empty variable of a program. */
const NONE: ReadonlySet<string> = new Set(['', 'auto', 'und', 'null', 'undefined', 'none']);

function knownOrRefused(language: string, engine: EngineDescription, of: string): string {
  const known = engine.languages.find((one) => canonical(one) === canonical(language));
  if (known !== undefined) return known;
  throw new ApiError(
    422,
    'language_not_supported',
    `The engine ${engine.engine} (${engine.model}) does not know the language ${language}${of}. It knows: ${engine.languages.join(', ')}.`,
  );
}

/** One code for each language, whichever of its own a browser or an engine uses. */
function canonical(code: string): string {
  const language = localeOf(code)?.language ?? code;
  // Browsers say `nb`, Whisper `no`.
  return language === 'nb' ? 'no' : language;
}

/** The language an Accept-Language wishes for most; null when it names none before `*`. */
function firstLanguageIn(header: string): string | null {
  const wishes = header
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [, range = '', quality = '1'] =
        /^\s*([a-z\d-]+|\*)\s*(?:;\s*q=\s*([\d.]+)\s*)?$/i.exec(part) ?? [];
      return {
        language: range === '*' ? range : localeOf(range)?.language,
        quality: Number(quality),
      };
    })
    .filter(({ language, quality }) => language !== undefined && quality > 0)
    .sort((a, b) => b.quality - a.quality);
  const first = wishes[0]?.language ?? '*';
  return first === '*' ? null : first;
}

/**
 * The code of a language as people write it: as a tag, a name of POSIX, or in words; '' where none is
 * named. Throws 400 for what is no language.
 */
export function languageOf(asked: string): string {
  const given = asked.trim();
  if (NONE.has(given.toLowerCase())) return '';
  const tag = given.replace(/[.@].*$/, '').replaceAll('_', '-');
  const code =
    languageCodeOf(given) || (codesByName().get(given.toLowerCase()) ?? localeOf(tag)?.language);
  if (code !== undefined) return code;
  const message = "language must be a language code such as 'en' or 'sv-SE', or empty.";
  throw new ApiError(400, 'field_invalid', message);
}

let names: ReadonlyMap<string, string> | null = null;

/** The names of languages in English, in Swedish and in themselves, in lower case. */
function codesByName(): ReadonlyMap<string, string> {
  names ??= new Map(
    WHISPER_LANGUAGES.flatMap((code) =>
      ['sv', 'en', code].map((speaker): [string, string] => {
        const of = new Intl.DisplayNames(speaker, { type: 'language' }).of(code);
        return [(of ?? code).toLowerCase(), code];
      }),
    ),
  );
  return names;
}

function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch {
    return null;
  }
}
