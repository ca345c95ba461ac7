import { ownWordsIn, textsIn } from '../../core/contracts/server-health.ts';
import { HEALTH_ADDRESS } from '../server.ts';

/** Files by the end of their name and by what systems call them, and as servers list them. */
const KINDS: readonly (readonly [name: RegExp, type: RegExp, listed: string])[] = [
  [/\.(?:m4[abpr]|mp4|mov|3gp)$/i, /\/(?:x-)?(?:m4a|mp4|quicktime|3gpp)$/, 'audio/mp4'],
  [/\.(?:webm|mkv|mka)$/i, /\/(?:webm|x-matroska)$/, 'audio/webm'],
  [/\.(?:ogg|oga|opus|spx)$/i, /\/(?:ogg|opus)$/, 'audio/ogg'],
  [/\.mp3$/i, /\/(?:mpeg|mp3)$/, 'audio/mpeg'],
  [/\.wave?$/i, /\/(?:x-|vnd\.)?wave?$/, 'audio/wav'],
  [/\.flac$/i, /\/(?:x-)?flac$/, 'audio/flac'],
  [/\.aac$/i, /\/aacp?$/, 'audio/aac'],
  [/\.aif[fc]?$/i, /\/(?:x-)?aiff$/, 'audio/aiff'],
  [/\.amr$/i, /\/amr/, 'audio/amr'],
  [/\.caf$/i, /\/x-caf$/, 'audio/x-caf'],
  [/\.wma$/i, /\/x-ms-wma$/, 'audio/x-ms-wma'],
];

/** As types name what is in a file. */
const CODECS: Readonly<Record<string, string>> = { aac: 'mp4a' };

/** It tells what would be refused; a file does not wait for long for that. */
const LISTED_WITHIN_MS = 5_000;

/** The types of audio that the server lists; null where it lists none, or cannot be asked. */
export async function listedTypes(
  ask: typeof fetch,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(LISTED_WITHIN_MS)]);
    const response = await ask(HEALTH_ADDRESS, { cache: 'no-store', signal: deadline });
    const types = ownWordsIn({ status: response.status, body: await response.json() })?.audioTypes;
    return Array.isArray(types) ? textsIn(types) : null;
  } catch {
    return null;
  }
}

/**
 * False for a file that a server does not take, by its list of types. `codec` is that of its sound, as
 * far as that is known. One that nobody can name is for the server to judge.
 */
export function isTaken(
  { name, type }: Pick<File, 'name' | 'type'>,
  codec: string | null,
  listed: readonly string[],
): boolean {
  const kind = KINDS.find(([ends, is]) => is.test(type) || ends.test(name));
  if (!kind) return true;
  return listed.some((entry) => {
    const [container = '', ...parameters] = entry.toLowerCase().split(';');
    if (container.trim() !== kind[2]) return false;
    const named = /codecs?="?([^"]*)/.exec(parameters.join(';'))?.[1];
    return named === undefined || codec === null || named.startsWith(CODECS[codec] ?? codec);
  });
}
