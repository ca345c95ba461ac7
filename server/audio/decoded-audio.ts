import { type EncodedPacket, EncodedPacketSink, type InputAudioTrack } from 'mediabunny';
import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import { mixChannels } from '../../src/core/audio/mix-channels.ts';
import { ApiError } from '../core/api-error.ts';
/** Audio as the engines want it. */
export type SpeechAudio = {
  /** 16 kHz mono, finite, -1..1. */
  readonly samples: Float32Array;
  /**
   * False when a part of the file could not be read: cut off, or damaged in places. `samples` has
   * the rest.
   */
  readonly complete: boolean;
};

/** The kinds that can always be decoded here, as the health answer lists them. */
const OWN_AUDIO_TYPES: readonly string[] = [
  'audio/webm;codecs=opus',
  'audio/mp4;codecs=opus',
  'audio/ogg;codecs=opus',
  'audio/wav',
  'audio/mpeg',
  'audio/flac',
];

/** Those that need ffmpeg. */
const FFMPEG_AUDIO_TYPES: readonly string[] = [
  'audio/mp4;codecs=mp4a.40.2',
  'audio/mp4;codecs=alac',
  'audio/aac',
  'audio/ogg;codecs=vorbis',
  'audio/ogg;codecs=flac',
  'audio/ogg;codecs=speex',
  'audio/aiff',
  'audio/amr',
  'audio/x-caf',
  'audio/x-ms-wma',
];

/** The kinds of audio that can be decoded, with ffmpeg or without. */
export function decodableAudioTypes(hasFfmpeg: boolean): readonly string[] {
  return hasFfmpeg ? [...OWN_AUDIO_TYPES, ...FFMPEG_AUDIO_TYPES] : OWN_AUDIO_TYPES;
}

/** A file laid out so that all that is in it is found. */
export type MendedFile = {
  readonly file: Uint8Array;
  /** False when a part is missing or cannot be read: cut off, or damaged. */
  readonly isWhole: boolean;
};

/** Says that a file is none of these; `what` is a sentence about what it is. */
export function unsupportedAudio(what: string): ApiError {
  const wanted = 'Send wav, mp3, flac, or webm, mp4 or ogg with Opus.';
  return new ApiError(415, 'audio_unsupported', `${what} ${wanted}`);
}

/** Says that a file cannot be read; `cause` is for the log. */
export function corruptedAudio(cause?: unknown): ApiError {
  const message = 'The audio file is damaged or holds no audio track.';
  return new ApiError(422, 'audio_corrupted', message, { cause });
}

/** Counts what is decoded against what there is. */
export type ByteAccount = ReturnType<typeof createByteAccount>;

/**
 * An account of a file of `fileBytes`. An MP4's table can name the same bytes again and again, and
 * make minutes out of seconds. No recorder writes that, and every minute costs the engine.
 */
export function createByteAccount(fileBytes: number) {
  let left = fileBytes;
  return {
    /** Throws `audio_corrupted` when more than the whole file has been taken. */
    take(bytes: number) {
      left -= bytes;
      if (left < 0) throw corruptedAudio(new Error('it reads the same bytes again'));
    },
  };
}

/** Reads the packets of a track. */
export type PacketReader = ReturnType<typeof createPacketReader>;

/** A reader of `track`, which takes the bytes of its packets from `account`. */
export function createPacketReader(track: InputAudioTrack, account: ByteAccount) {
  const sink = new EncodedPacketSink(track);
  let last: EncodedPacket | null = null;
  return {
    /** All of them, once; throws when the container breaks off or the same bytes come again. */
    async *packets(): AsyncGenerator<EncodedPacket> {
      // Its own iterator reads ahead, and drops what it has read where the container breaks off.
      for (
        let packet = await sink.getFirstPacket();
        packet !== null;
        packet = await sink.getNextPacket(packet)
      ) {
        last = packet;
        account.take(packet.data.length);
        yield packet;
      }
    },
    /** False if a packet is named behind the last that was read: the file does not hold it. */
    async isAtEnd(): Promise<boolean> {
      const metadataOnly = { metadataOnly: true };
      const missing = await (last === null
        ? sink.getFirstPacket(metadataOnly)
        : sink.getNextPacket(last, metadataOnly));
      return missing === null;
    },
  };
}

/** Gathers 16 kHz samples up to a limit. */
export type SampleCollector = ReturnType<typeof createSampleCollector>;

const FIRST_CAPACITY = 1 << 18;

/**
 * Makes a collector of at most `maxSamples`; its memory grows with what comes in. `onProgress` is
 * told its length after each block.
 */
export function createSampleCollector(
  maxSamples: number,
  onProgress: (samples: number) => void = () => undefined,
) {
  let store = new Float32Array(Math.min(FIRST_CAPACITY, maxSamples));
  let length = 0;

  function makeRoom(needed: number): void {
    if (needed > maxSamples) {
      const seconds = Math.floor(samplesToMs(maxSamples) / 1_000);
      throw new ApiError(413, 'audio_too_long', `The audio is longer than ${seconds} s.`);
    }
    if (needed <= store.length) return;
    const grown = new Float32Array(Math.min(maxSamples, Math.max(needed, store.length * 2)));
    grown.set(store.subarray(0, length));
    store = grown;
  }

  return {
    /** Adds a copy of `samples`, made finite and clamped to -1..1. Throws `audio_too_long`. */
    add(samples: Float32Array) {
      makeRoom(length + samples.length);
      for (const sample of samples) {
        // Float WAVs may hold anything; one NaN would silence the whole utterance.
        store[length++] = Number.isFinite(sample) ? Math.max(-1, Math.min(1, sample)) : 0;
      }
      onProgress(length);
    },
    get length(): number {
      return length;
    },
    /** Everything added, in order. */
    finish: (): Float32Array => store.subarray(0, length),
  };
}

/** All channels (each as long as the first) as one; a single channel is handed on as it is. */
export function downMix(channels: readonly Float32Array[]): Float32Array {
  const [first] = channels;
  if (first === undefined) return new Float32Array(0);
  return channels.length === 1 ? first : mixChannels(channels, new Float32Array(first.length));
}
