import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { TransducerSource } from './engine-protocol.ts';
import type { Recognise } from './recogniser.ts';

/**
 * What ONNX Runtime is told on processors whose short sums overflow (x86 without VNNI): slower, and
 * right. The arena is left out, as it would hold a second copy of the weights.
 */
const EXACT_SETTINGS = 'SessionConfig.session.x64quantprecision=1\nEnableCpuMemArena=0\n';

/**
 * Loads a transducer of NeMo's into sherpa-onnx. The library ends this process when a file is not
 * what it wants, so it is only ever called in a process of its own.
 */
export async function loadTransducer(source: TransducerSource): Promise<Recognise> {
  const { default: sherpa } = await import('sherpa-onnx-node');
  const { encoder, decoder, joiner, tokens, featureBins, threads } = source;
  // A folder of our own that only this user can write to; it is read once, at creation.
  const folder = await mkdtemp(join(tmpdir(), 'diktera-'));
  try {
    const recogniser = await sherpa.OfflineRecognizer.createAsync({
      featConfig: { sampleRate: SAMPLE_RATE_HZ, featureDim: featureBins },
      modelConfig: {
        transducer: { encoder, decoder, joiner },
        modelType: 'nemo_transducer',
        tokens,
        numThreads: threads,
        provider: source.precision === 'exact' ? `cpu:${await settingsIn(folder)}` : 'cpu',
        debug: false,
      },
    });
    return async (samples) => {
      const stream = recogniser.createStream();
      stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE_HZ });
      return (await recogniser.decodeAsync(stream)).text;
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function settingsIn(folder: string): Promise<string> {
  const path = join(folder, 'settings.txt');
  await writeFile(path, EXACT_SETTINGS);
  return path;
}
