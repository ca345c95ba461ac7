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
import { msToSamples } from '../../src/core/audio-format.ts';
import { ApiError } from '../api-error.ts';
import { decodeOpus } from './decode-opus.ts';
import { decodePcm } from './decode-pcm.ts';
import { createSampleCollector, type SampleCollector } from './sample-collector.ts';
import type { SpeechAudio } from './speech-audio.ts';
import { isWaveCutShort } from './wave-length.ts';

/** What can be decoded here, as the health answer lists it. */
export const DECODABLE_AUDIO_TYPES = [
  'audio/webm;codecs=opus',
  'audio/mp4;codecs=opus',
  'audio/ogg;codecs=opus',
  'audio/wav',
] as const;

/** No playlists among them: those would make the server fetch addresses a client names. */
const FORMATS = [MP4, QTFF, WEBM, MATROSKA, WAVE, OGG];

/** A file without a single packet and larger than this had audio that could not be read. */
const MAX_HEADER_BYTES = 4_096;

// It would print details of clients' files to the console.
Logging.level = LogLevel.Silent;

/**
 * Decodes a file to 16 kHz mono, whatever its name or declared type say. A header without audio gives
 * no samples. Throws `audio_unsupported` (415), `audio_corrupted` (422), `audio_too_long` (413), or
 * `signal`'s reason. Lets the event loop run while it works.
 */
export async function decodeAudio(
  file: Uint8Array,
  maxAudioMs: number,
  signal: AbortSignal,
): Promise<SpeechAudio> {
  const input = new Input({ source: new BufferSource(file), formats: FORMATS });
  try {
    const track = await openTrack(input);
    const collector = createSampleCollector(msToSamples(maxAudioMs));
    const isCutShort = (await input.getFormat()) === WAVE && isWaveCutShort(file);
    const complete = (await decodeTrack(track, collector, signal)) && !isCutShort;
    if (collector.length === 0 && (!complete || file.length > MAX_HEADER_BYTES)) throw corrupted();
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
      throw unsupported('This is no audio file known here.');
    throw corrupted(error);
  }
  if (track === null) throw corrupted();
  return track;
}

/** Decodes what can be decoded; says whether that is all of it. */
async function decodeTrack(
  track: InputAudioTrack,
  collector: SampleCollector,
  signal: AbortSignal,
): Promise<boolean> {
  const codec = await track.getCodec();
  const decode = chooseDecoder(track, codec);
  try {
    return await decode(collector, signal);
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) throw error;
    // The container broke off or is damaged: everything up to there is still somebody's speech.
    if (collector.length > 0) return false;
    throw corrupted(error);
  }
}

type Decode = (collector: SampleCollector, signal: AbortSignal) => Promise<boolean>;

function chooseDecoder(track: InputAudioTrack, codec: string | null): Decode {
  if (codec === 'opus') {
    return async (collector, signal) => {
      const config = await track.getDecoderConfig();
      const head = toBytes(config?.description);
      return (await decodeOpus(track, head, collector, signal)).allPacketsRead;
    };
  }
  if (codec !== null && (PCM_AUDIO_CODECS as readonly string[]).includes(codec)) {
    return async (collector, signal) => {
      await decodePcm(track, collector, signal);
      return true;
    };
  }
  throw unsupported(codec === 'aac' ? 'This file holds AAC.' : 'This file holds another codec.');
}

/** Codec descriptions come as any kind of buffer. */
function toBytes(description: unknown): Uint8Array {
  if (ArrayBuffer.isView(description)) {
    return new Uint8Array(description.buffer, description.byteOffset, description.byteLength);
  }
  return description instanceof ArrayBuffer ? new Uint8Array(description) : new Uint8Array(0);
}

function unsupported(what: string): ApiError {
  const wanted = 'Send webm, mp4 or ogg with Opus, or wav.';
  return new ApiError(415, 'audio_unsupported', `${what} ${wanted}`);
}

function corrupted(cause?: unknown): ApiError {
  const message = 'The audio file is damaged or holds no audio track.';
  return new ApiError(422, 'audio_corrupted', message, { cause });
}
