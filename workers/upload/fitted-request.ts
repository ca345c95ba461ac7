import {
  type AudioType,
  type EncodedAudio,
  RECORDED_CODECS,
} from '../../src/core/audio/audio-types.ts';
import { toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
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

/** Ports of fitting the audio to the server. */
type FittedRequestPorts = {
  readonly request: TranscribeRequest;
  /** The types that the server says it takes; null while it says nothing. */
  readonly serverTypes: () => readonly string[] | null;
  /** The same sound as WAV, which every server takes; rejects where it cannot be read. */
  readonly toWav: (audio: EncodedAudio) => Promise<EncodedAudio>;
  readonly log: Logger;
};

/**
 * Asks with audio that the server takes: what it does not list, or has answered with 415, goes as
 * WAV. The stored chunk stays as it is.
 */
export function createFittedRequest(ports: FittedRequestPorts): TranscribeRequest {
  const { request, serverTypes, toWav, log } = ports;
  /** Refused where WAV was taken. */
  const refused = new Set<AudioType>();
  /** By what they were made of: another try is under the same key. */
  const made = new WeakMap<ArrayBuffer, EncodedAudio>();

  function isTaken(type: AudioType): boolean {
    if (refused.has(type)) return false;
    const listed = serverTypes();
    if (listed === null || type === 'audio/wav') return true;
    // Nothing is gained where the server does not take WAV either.
    return isListed(type, listed) || !isListed('audio/wav', listed);
  }

  async function asWav(audio: EncodedAudio): Promise<EncodedAudio | null> {
    const known = made.get(audio.bytes);
    if (known) return known;
    try {
      const wav = await toWav(audio);
      made.set(audio.bytes, wav);
      return wav;
    } catch (thrown) {
      log.error('A chunk cannot be made into WAV', toErrorInfo(thrown, 'encoding-failed'));
      return null;
    }
  }

  return async (item, signal) => {
    const { type } = item.audio;
    const first = isTaken(type) ? item.audio : ((await asWav(item.audio)) ?? item.audio);
    const outcome = await request({ ...item, audio: first }, signal);
    const isOther = outcome.kind === 'rejected' && outcome.status === 415;
    const wav = isOther && first.type !== 'audio/wav' ? await asWav(item.audio) : null;
    if (!wav) return outcome;
    log.info(`The server does not take ${type}: it is sent WAV`);
    const second = await request({ ...item, audio: wav }, signal);
    if (second.kind === 'answered') refused.add(type);
    return second;
  };
}

/** True if a list of types has one, with its own codec or none named. */
function isListed(type: AudioType, listed: readonly string[]): boolean {
  return listed.some((entry) => {
    const [name = '', ...parameters] = entry.toLowerCase().split(';');
    if (name.trim() !== type) return false;
    const codecs = parameters.map((each) => /^\s*codecs?="?([^"]*)"?\s*$/.exec(each)?.[1]);
    const named = codecs.find((each) => each !== undefined);
    return named === undefined || named.split(',').some((each) => isCodec(type, each.trim()));
  });
}

function isCodec(type: AudioType, codec: string): boolean {
  return RECORDED_CODECS[type].some((own) => codec === own || codec.startsWith(`${own}.`));
}

/**
 * Has each chunk whose language nobody chose asked for in the likeliest that the server has. Where
 * it has none of them, the chunk is refused here once; asked for again by a person, the server
 * says.
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

/** Options of an early request; null where it would be in another language, or in any. */
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
