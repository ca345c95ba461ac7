import type { TranscriptionOptions } from '../options/dictation-options.ts';
import type { ServerState } from './snapshot.ts';

/** The language that is asked for. */
export type SpokenLanguage = {
  /** A code; empty leaves it to the server. */
  readonly language: string;
  /** The server tells its languages, and this one is not among them. */
  readonly isMissing: boolean;
};

/** Codes that mean the same, as browsers and speech engines write them. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
  ['iw', 'he'],
  ['in', 'id'],
  ['ji', 'yi'],
  ['fil', 'tl'],
  ['jv', 'jw'],
]);

/**
 * The language of a recording: the one chosen, else the likeliest that the server has, else the
 * likeliest, which is missing then. Another that the server has would be nonsense in its letters.
 * Null while it is not known what the server has. A server that tells of no languages chooses.
 */
export function spokenLanguage(
  { language, likelyLanguages = [] }: Pick<TranscriptionOptions, 'language' | 'likelyLanguages'>,
  server: ServerState,
): SpokenLanguage | null {
  const known = server.kind === 'ready' ? [...new Set(languagesOf(server))] : [];
  const wanted = (language === '' ? likelyLanguages : [language]).filter((tag) => tag !== '');
  const [first] = wanted;
  if (first === undefined) return { language: '', isMissing: false };
  for (const tag of known.length > 0 ? wanted : []) {
    const code = known.find((each) => each === tag) ?? known.find((each) => isSame(each, tag));
    if (code !== undefined) return { language: language || code, isMissing: false };
  }
  if (known.length > 0) return { language: language || baseOf(first), isMissing: true };
  if (language !== '') return { language, isMissing: false };
  if (server.kind === 'unknown' || server.kind === 'loading') return null;
  return { language: '', isMissing: false };
}

/**
 * The languages that can be written now: an engine that is still to be made ready writes nothing.
 */
export function languagesOf(server: ServerState): readonly string[] {
  return server.kind === 'ready' ? server.engines.flatMap(({ languages }) => languages) : [];
}

/** True if `sv-SE` and `sv` are the same language, as far as a speech engine knows. */
export function isSame(a: string, b: string): boolean {
  return baseOf(a) === baseOf(b);
}

/** `sv` for `sv-SE`. */
export function baseOf(tag: string): string {
  const [base = ''] = tag.toLowerCase().split(/[-_]/);
  return SAME.get(base) ?? base;
}
