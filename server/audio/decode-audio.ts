import {
  BufferSource,
  Input,
  type InputAudioTrack,
  Logging,
  LogLevel,
  MATROSKA,
  MP4,
  OGG,
  PCM_AUDIO_CODECS,
  QTFF,
  UnsupportedInputFormatError,
  WAVE,
  WEBM,
} from 'mediabunny';
import { msToSamples } from '../../src/core/audio/audio-format.ts';
import { ApiError } from '../core/api-error.ts';
import { type ByteAccount, createByteAccount } from './byte-account.ts';
import { corruptedAudio, unsupportedAudio } from './decodable-audio.ts';
import { decodeOpus } from './decode-opus.ts';
import { decodePcm } from './decode-pcm.ts';
import { claimsTooMuch } from './mp4-counts.ts';
import { createSampleCollector, type SampleCollector } from './sample-collector.ts';
import type { SpeechAudio } from './speech-audio.ts';
import { isWaveCutShort } from './wave-length.ts';

/** No playlists among them: those would make the server fetch addresses a client names. */
const FORMATS = [MP4, QTFF, WEBM, MATROSKA, WAVE, OGG];

/** A file without a single packet and larger than this had audio that could not be read. */
const MAX_HEADER_BYTES = 4_096;

// It would print details of clients' files to the console.
Logging.level = LogLevel.Silent;

/**
 * Decodes a file to 16 kHz mono, whatever its name or declared type. A header without audio gives
 * no samples. Throws `audio_unsupported` (415), `audio_corrupted` (422) or `audio_too_long` (413).
 * On a damaged file it may never end, or take all memory: `decoder-pool.ts` sees to that.
 * `onProgress` is told how many samples there are by now.
 */
export async function decodeAudio(
  file: Uint8Array,
  maxAudioMs: number,
  onProgress: (samples: number) => void = () => undefined,
): Promise<SpeechAudio> {
  if (claimsTooMuch(file)) throw corruptedAudio(new Error('it claims more samples than bytes'));
  const input = new Input({ source: new BufferSource(file), formats: FORMATS });
  try {
    const track = await openTrack(input);
    const collector = createSampleCollector(msToSamples(maxAudioMs), onProgress);
    const isCutShort = (await input.getFormat()) === WAVE && isWaveCutShort(file);
    const account = createByteAccount(file.length);
    const complete = (await decodeTrack(track, account, collector)) && !isCutShort;
    if (collector.length === 0 && (!complete || file.length > MAX_HEADER_BYTES))
      throw corruptedAudio();
    return { samples: collector.finish(), complete };
  } finally {
    input.dispose();
  }
}

async function openTrack(input: Input): Promise<InputAudioTrack> {
  let track: InputAudioTrack | null;
  try {
    await input.getFormat();
    track = await input.getPrimaryAudioTrack();
  } catch (error) {
    if (error instanceof UnsupportedInputFormatError)
      throw unsupportedAudio('This is no audio file known here.');
    throw corruptedAudio(error);
  }
  if (track === null) throw corruptedAudio();
  return track;
}

/** Decodes what can be decoded; says whether that is all of it. */
async function decodeTrack(
  track: InputAudioTrack,
  account: ByteAccount,
  collector: SampleCollector,
): Promise<boolean> {
  const codec = await track.getCodec();
  const decode = chooseDecoder(track, codec, account);
  try {
    return await decode(collector);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // The container broke off or is damaged: everything up to there is still somebody's speech.
    if (collector.length > 0) return false;
    throw corruptedAudio(error);
  }
}

type Decode = (collector: SampleCollector) => Promise<boolean>;

function chooseDecoder(track: InputAudioTrack, codec: string | null, account: ByteAccount): Decode {
  if (codec === 'opus') {
    return async (collector) => {
      const config = await track.getDecoderConfig();
      const head = toBytes(config?.description);
      return (await decodeOpus(track, head, account, collector)).allPacketsRead;
    };
  }
  if (codec !== null && (PCM_AUDIO_CODECS as readonly string[]).includes(codec)) {
    return async (collector) => {
      await decodePcm(track, account, collector);
      return true;
    };
  }
  throw unsupportedAudio(
    codec === 'aac' ? 'This file holds AAC.' : 'This file holds another codec.',
  );
}

/** Codec descriptions come as any kind of buffer. */
function toBytes(description: unknown): Uint8Array {
  if (ArrayBuffer.isView(description)) {
    return new Uint8Array(description.buffer, description.byteOffset, description.byteLength);
  }
  return description instanceof ArrayBuffer ? new Uint8Array(description) : new Uint8Array(0);
}
