import { withDeadline } from '../../src/core/async.ts';
import { SAMPLE_RATE_HZ, samplesToMs } from '../../src/core/audio/audio-format.ts';
import {
  AUDIO_TYPES,
  type AudioEncoderPort,
  type AudioType,
  type EncodedAudio,
  type SoundPacker,
  type SoundPackets,
} from '../../src/core/audio/audio-types.ts';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError, toErrorInfo } from '../../src/core/errors.ts';
import { LOG_MESSAGES } from '../../src/core/log-messages.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { AudioFormat } from './audio-formats.ts';

/** A codec that takes longer than this and the audio's own length is taken for dead. */
const DEADLINE_MS = 10_000;

/** Some packets more than a codec may have to spare, so that one of no true length is seen. */
const PROBE_SAMPLES = SAMPLE_RATE_HZ / 4;
const PROBE_TONE_HZ = 440;

/** Decoders may give so much less than went in: a codec's delay, cut off. More is a broken file. */
const MAX_MISSING_SAMPLES = SAMPLE_RATE_HZ / 50;

/** What an encoder needs. */
export type AudioEncoderPorts = {
  readonly clock: Clock;
  readonly log: Logger;
  /** The formats to try, best first. @default AUDIO_TYPES */
  readonly types?: readonly AudioType[];
  /** How each is written and read. */
  readonly formats: Readonly<Record<AudioType, AudioFormat>>;
};

/**
 * Makes the encoder. A format is used only after it has really packed a probe, since
 * `isConfigSupported` can lie; that a file can be made of it is proved later, for what writes files
 * is large and would have to come before the first frame. A chunk that the format in use fails on is encoded as WAV if that is
 * among the types: large, but not lost.
 */
export function createAudioEncoder(ports: AudioEncoderPorts): AudioEncoderPort & SoundPacker {
  const { clock, log, types = AUDIO_TYPES, formats } = ports;
  let chosen: AudioType | undefined;
  let choosing: Promise<AudioType> | undefined;
  let tryProbe: (type: AudioType, probe: Float32Array) => Promise<unknown> = packAs;

  /** What a codec makes of so much audio, unless it takes too long. */
  function inTime<Value>(
    what: string,
    durationSamples: number,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const controller = new AbortController();
    const deadlineMs = DEADLINE_MS + samplesToMs(durationSamples);
    return withDeadline(clock, work(controller.signal), deadlineMs, () => {
      controller.abort();
      throw new DikteraError('encoding-failed', `${what} does not answer`);
    });
  }

  function packAs(type: AudioType, samples: Float32Array): Promise<SoundPackets> {
    return inTime(`The ${type} encoder`, samples.length, (signal) =>
      formats[type].pack(samples, signal),
    );
  }

  /** Parts of one type. */
  async function toFile(type: AudioType, parts: readonly SoundPackets[]): Promise<EncodedAudio> {
    const durationSamples = parts.reduce((sum, part) => sum + part.durationSamples, 0);
    const bytes = await inTime(`The ${type} file`, durationSamples, () =>
      formats[type].join(parts),
    );
    return { type, bytes, durationSamples };
  }

  async function encodeAs(type: AudioType, samples: Float32Array): Promise<EncodedAudio> {
    return toFile(type, [await packAs(type, samples)]);
  }

  /** What `work` makes in the chosen format, or as WAV if that fails. */
  async function orWav<Made>(work: (type: AudioType) => Promise<Made>): Promise<Made> {
    const type = chosen ?? (await chooseType());
    try {
      return await work(type);
    } catch (thrown) {
      const error = toEncodingError(thrown);
      if (type === 'audio/wav' || !types.includes('audio/wav')) throw error;
      log.warn('Sound is encoded as WAV', toErrorInfo(error, 'encoding-failed'));
      return work('audio/wav');
    }
  }

  async function decode({ type, bytes, durationSamples }: EncodedAudio): Promise<Float32Array> {
    const samples = await inTime(`The ${type} decoder`, durationSamples, (signal) =>
      formats[type].decode(bytes, signal),
    ).catch((thrown: unknown) => {
      throw toEncodingError(thrown);
    });
    if (samples.length < durationSamples - MAX_MISSING_SAMPLES) {
      throw new DikteraError(
        'encoding-failed',
        `${type}: ${samples.length} of ${durationSamples} samples came out`,
      );
    }
    return samples;
  }

  /** Parts of several types are one WAV file. */
  async function joinAsWav(parts: readonly SoundPackets[]): Promise<EncodedAudio> {
    const pcm: SoundPackets[] = [];
    for (const part of parts) {
      const samples = await decode(await toFile(part.type, [part]));
      pcm.push(await packAs('audio/wav', samples.subarray(0, part.durationSamples)));
    }
    return toFile('audio/wav', pcm);
  }

  async function probe(): Promise<AudioType> {
    const failures: unknown[] = [];
    for (const type of types) {
      try {
        await tryProbe(type, makeProbe());
        return type;
      } catch (thrown) {
        log.info('An audio format cannot be used', type, toErrorInfo(thrown, 'encoding-failed'));
        failures.push(thrown);
      }
    }
    throw new DikteraError('audio-type-missing', LOG_MESSAGES.noAudioType, {
      cause: new AggregateError(failures),
    });
  }

  /** Only the best answer is for good: another may come of a script that could not be loaded. */
  async function chooseType(): Promise<AudioType> {
    if (chosen !== undefined && chosen === types[0]) return chosen;
    choosing ??= probe().finally(() => {
      choosing = undefined;
    });
    chosen = await choosing;
    return chosen;
  }

  return {
    chooseType,
    async proveFiles() {
      await choosing?.catch(() => {});
      tryProbe = encodeAs;
      chosen = undefined;
      await chooseType();
    },
    encode: (samples) => orWav((type) => encodeAs(type, samples)),
    decode,
    pack: (samples) => orWav((type) => packAs(type, samples)),
    async join(parts) {
      const [first] = parts;
      if (!first) throw new DikteraError('encoding-failed', 'There is nothing to make a file of');
      const isOne = parts.every(({ type }) => type === first.type);
      const joined = isOne ? toFile(first.type, parts) : joinAsWav(parts);
      return joined.catch((thrown: unknown) => {
        throw toEncodingError(thrown);
      });
    },
  };
}

function makeProbe(): Float32Array {
  return Float32Array.from(
    { length: PROBE_SAMPLES },
    (_, index) => 0.5 * Math.sin((2 * Math.PI * PROBE_TONE_HZ * index) / SAMPLE_RATE_HZ),
  );
}

function toEncodingError(thrown: unknown): DikteraError {
  if (thrown instanceof DikteraError) return thrown;
  const { message } = toErrorInfo(thrown, 'encoding-failed');
  return new DikteraError('encoding-failed', message, { cause: thrown });
}
