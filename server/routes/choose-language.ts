import { ApiError } from '../core/api-error.ts';
import type { EngineDescription } from '../engine/engine-port.ts';

/**
 * The engine's language for what a client asked: '' is the default (and stays '' where the engine
 * finds out itself), and a region is dropped (`en-GB` is `en`). Throws 400 for what is no language
 * code, and 422 for a language the engine does not have: it would write fluent nonsense.
 * `browser` is the Accept-Language of the request, for engines that go by it.
 */
export function chooseLanguage(asked: string, engine: EngineDescription, browser = ''): string {
  if (asked === '') {
    const wished = engine.followsBrowser ? languagesIn(browser) : [];
    const known = wished.find((language) => engine.languages.includes(language));
    return known ?? engine.defaultLanguage ?? '';
  }
  const language = primarySubtag(asked);
  if (engine.languages.includes(language)) return language;
  const known = engine.languages.join(', ');
  throw new ApiError(
    422,
    'language_not_supported',
    `The engine ${engine.engine} (${engine.model}) does not know the language ${language}. It knows: ${known}.`,
  );
}

/** The languages of an Accept-Language, the one wished for most first. */
function languagesIn(header: string): readonly string[] {
  return header
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [, language = '', quality = '1'] =
        /^\s*([a-z]{2,3})\b[^;]*(?:;\s*q=([\d.]+))?\s*$/i.exec(part) ?? [];
      return { language: language.toLowerCase(), quality: Number(quality) };
    })
    .filter(({ language, quality }) => language !== '' && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ language }) => language);
}

function primarySubtag(asked: string): string {
  try {
    return new Intl.Locale(asked).language;
  } catch (cause) {
    const message = "language must be a language code such as 'en' or 'sv-SE', or empty.";
    throw new ApiError(400, 'field_invalid', message, { cause });
  }
}
