import { SAMPLE_RATE_HZ, samplesToMs } from '../../src/core/audio/audio-format.ts';
import type {
  AudioEncoderPort,
  AudioType,
  EncodedAudio,
  SoundPacker,
  SoundPackets,
} from '../../src/core/audio/audio-types.ts';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError, toErrorInfo } from '../../src/core/errors.ts';
import { LOG_MESSAGES, type Logger } from '../../src/core/logger.ts';
import { withDeadline } from '../../src/platform/deadline.ts';
import type { AudioFormat } from './audio-formats.ts';

/** A codec that takes longer than this and the audio's own length is taken for dead. */
const DEADLINE_MS = 10_000;

/** Some packets more than a codec may have to spare, so that one of no true length is seen. */
const PROBE_SAMPLES = SAMPLE_RATE_HZ / 4;
const PROBE_TONE_HZ = 440;

/** Decoders may give so much less than went in: a codec's delay, cut off. More is a broken file. */
const MAX_MISSING_SAMPLES = SAMPLE_RATE_HZ / 50;

type AudioEncoderPorts = {
  readonly clock: Clock;
  readonly log: Logger;
  /** The formats to try, best first. */
  readonly formats: readonly AudioFormat[];
};

/**
 * Makes the encoder. A format is used only after it has really packed a probe, since
 * `isConfigSupported` can lie; what writes files is tried later: it is a large download that must not
 * delay the first frame, and formats whose codec is a script are tried with it. A chunk that the format in use fails on is encoded as WAV if that is among the
 * formats: large, but not lost.
 */
export function createAudioEncoder(ports: AudioEncoderPorts): AudioEncoderPort & SoundPacker {
  const { clock, log, formats } = ports;
  let chosen: AudioFormat | undefined;
  let choosing: Promise<AudioFormat> | undefined;
  /** The format that has passed the current probe. */
  let passed: AudioFormat | undefined;
  let mustMakeFiles = false;
  const failed = new Set<AudioFormat>();

  /** Runs a codec on so much audio; rejects if it takes too long. */
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

  function packAs(format: AudioFormat, samples: Float32Array): Promise<SoundPackets> {
    return inTime(`The ${format.type} encoder`, samples.length, (signal) =>
      format.pack(samples, signal),
    );
  }

  /** Parts of one type. */
  async function toFile(format: AudioFormat, parts: readonly SoundPackets[]) {
    const { type } = format;
    const durationSamples = parts.reduce((sum, part) => sum + part.durationSamples, 0);
    const bytes = await inTime(`The ${type} file`, durationSamples, () => format.join(parts));
    return { type, bytes, durationSamples };
  }

  async function encodeAs(format: AudioFormat, samples: Float32Array): Promise<EncodedAudio> {
    return toFile(format, [await packAs(format, samples)]);
  }

  /** Runs `work` with the chosen format, or with WAV if that fails. */
  async function orWav<Made>(work: (format: AudioFormat) => Promise<Made>): Promise<Made> {
    const format = chosen ?? (await choose());
    try {
      return await work(format);
    } catch (thrown) {
      const error = toEncodingError(thrown);
      const wav = formats.find(({ type }) => type === 'audio/wav');
      if (!wav || wav === format) throw error;
      log.warn('Sound is encoded as WAV', toErrorInfo(error, 'encoding-failed'));
      return work(wav);
    }
  }

  /** A browser that cannot write a format with a codec of its own is not trusted to read it. */
  async function formatOf(type: AudioType): Promise<AudioFormat> {
    if (!chosen) await choose().catch(() => {});
    const ofType = formats.filter((format) => format.type === type);
    const format = ofType.find((each) => !failed.has(each)) ?? ofType[0];
    if (!format) throw new DikteraError('encoding-failed', `${type} is not among the formats`);
    return format;
  }

  async function decode({ type, bytes, durationSamples }: EncodedAudio): Promise<Float32Array> {
    const format = await formatOf(type);
    const samples = await inTime(`The ${type} decoder`, durationSamples, (signal) =>
      format.decode(bytes, signal),
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
    const wav = await formatOf('audio/wav');
    const pcm: SoundPackets[] = [];
    for (const part of parts) {
      const samples = await decode(await toFile(await formatOf(part.type), [part]));
      pcm.push(await packAs(wav, samples.subarray(0, part.durationSamples)));
    }
    return toFile(wav, pcm);
  }

  async function probe(): Promise<AudioFormat> {
    const failures: unknown[] = [];
    for (const format of formats) {
      if (format.isScript && !mustMakeFiles) continue;
      if (format === passed) return format;
      try {
        await (mustMakeFiles ? encodeAs : packAs)(format, makeProbe());
        failed.delete(format);
        passed = format;
        return format;
      } catch (thrown) {
        const error = toErrorInfo(thrown, 'encoding-failed');
        log.info('An audio format cannot be used', format.type, error);
        failed.add(format);
        failures.push(thrown);
      }
    }
    throw new DikteraError('audio-type-missing', LOG_MESSAGES.noAudioType, {
      cause: new AggregateError(failures),
    });
  }

  async function choose(): Promise<AudioFormat> {
    choosing ??= probe().finally(() => {
      choosing = undefined;
    });
    chosen = await choosing;
    return chosen;
  }

  return {
    async chooseType() {
      if (!chosen) return (await choose()).type;
      // Only the best is for good: another may have come of a script that could not be loaded.
      if (chosen !== formats[0]) void choose().catch(() => {});
      return chosen.type;
    },
    async proveFiles() {
      await choosing?.catch(() => {});
      mustMakeFiles = true;
      passed = undefined;
      await choose().catch((thrown: unknown) => {
        chosen = undefined;
        throw thrown;
      });
    },
    encode: (samples) => orWav((format) => encodeAs(format, samples)),
    decode,
    pack: (samples) => orWav((format) => packAs(format, samples)),
    async join(parts) {
      const [first] = parts;
      if (!first) throw new DikteraError('encoding-failed', 'There is nothing to make a file of');
      const isOne = parts.every(({ type }) => type === first.type);
      const joined = isOne ? toFile(await formatOf(first.type), parts) : joinAsWav(parts);
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
