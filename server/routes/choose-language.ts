import { ApiError } from '../core/api-error.ts';
import type { EngineDescription } from '../engine/engine-port.ts';

/**
 * The engine's language for what a client asked: '' is the default (and stays '' where the engine
 * finds out itself), and a region is dropped (`en-GB` is `en`). Throws 400 for what is no language
 * code, and 422 for a language the engine does not have: it would write fluent nonsense.
 */
export function chooseLanguage(asked: string, engine: EngineDescription): string {
  if (asked === '') return engine.defaultLanguage ?? '';
  const language = primarySubtag(asked);
  if (engine.languages.includes(language)) return language;
  const known = engine.languages.join(', ');
  throw new ApiError(
    422,
    'language_not_supported',
    `The engine ${engine.engine} (${engine.model}) does not know the language ${language}. It knows: ${known}.`,
  );
}

function primarySubtag(asked: string): string {
  try {
    return new Intl.Locale(asked).language;
  } catch (cause) {
    const message = "language must be a language code such as 'en' or 'sv-SE', or empty.";
    throw new ApiError(400, 'field_invalid', message, { cause });
  }
}
