import {
  type AudioType,
  type EncodedAudio,
  RECORDED_CODECS,
} from '../../src/core/audio/audio-types.ts';
import { toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { TranscribeRequest } from './transcribe-request.ts';

/** What fitting the audio to the server needs. */
export type FittedRequestPorts = {
  readonly request: TranscribeRequest;
  /** What the server says it takes; null while it says nothing. */
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
    if (second.kind === 'transcribed') refused.add(type);
    return second;
  };
}

/** Whether a list of types has one, with its own codec or none named. */
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
