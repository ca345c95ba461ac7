import type {
  SessionOptions,
  TranscriptionOptions,
} from '../../src/core/options/dictation-options.ts';
import type { ServerState } from '../../src/core/session/snapshot.ts';
import {
  baseOf,
  type SpokenLanguage,
  spokenLanguage,
} from '../../src/core/session/spoken-language.ts';
import type { TranscribeRequest } from './transcribe-request.ts';

/**
 * Has each chunk whose language nobody chose asked for in the likeliest that the server has. Where
 * it has none of them, the chunk is refused here once; asked for again by a person, the server says.
 */
export function inLikelyLanguage(
  request: TranscribeRequest,
  server: () => Promise<ServerState>,
): TranscribeRequest {
  return async (item, signal) => {
    if (!isLeftToUs(item.options)) return request(item, signal);
    const { language, isMissing } = resolved(item.options, await server());
    if (isMissing && item.rounds === 0 && item.asks === 0) {
      const message = `The server has none of the languages ${item.options.likelyLanguages}`;
      return { kind: 'rejected', status: 422, error: { code: 'language-missing', message } };
    }
    return request({ ...item, options: { ...item.options, language } }, signal);
  };
}

/** A recording's options with its language, as far as that is known when it begins. */
export function inSpokenLanguage(options: SessionOptions, server: ServerState): SessionOptions {
  if (options.language !== '') return { ...options, likelyLanguages: undefined };
  return { ...options, language: spokenLanguage(options, server)?.language ?? '' };
}

/** What may be asked for early; null where that would be in another language, or in any. */
export function earlyOptions(
  options: TranscriptionOptions,
  server: ServerState,
): TranscriptionOptions | null {
  if (!isLeftToUs(options)) return options;
  const spoken = spokenLanguage(options, server);
  return spoken && !spoken.isMissing ? { ...options, language: spoken.language } : null;
}

/** Nobody chose the language: it was taken from what is likely, or is to be. */
function isLeftToUs({ likelyLanguages = [] }: TranscriptionOptions): boolean {
  return likelyLanguages.length > 0;
}

/** A server that has not told of itself yet says by itself what it lacks of the likeliest. */
function resolved(options: TranscriptionOptions, server: ServerState): SpokenLanguage {
  const likeliest = options.likelyLanguages?.find((tag) => tag !== '') ?? '';
  return spokenLanguage(options, server) ?? { language: baseOf(likeliest), isMissing: false };
}
