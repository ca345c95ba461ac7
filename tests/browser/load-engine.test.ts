import { afterAll, describe, expect, test } from 'vitest';
import { MODEL_FILE_NAME } from '../../src/core/speech/model-files.ts';
import { createTestClip, SELF_TEST_PROBABILITIES } from '../../workers/audio/self-test.ts';
import { startVadWorker } from '../helpers/vad-worker.ts';

// One worker for all: each failure must leave the next try its chance.
describe('a file that is not what it should be', () => {
  const { vad, stop } = startVadWorker();
  afterAll(stop);

  test.each([
    ['.wasm', 'not-found', 'asset-unreachable', '404'],
    ['.wasm', 'html', 'asset-wrong', 'it is an HTML page'],
    ['.onnx', 'not-found', 'asset-unreachable', '404'],
    ['.onnx', 'html', 'asset-wrong', 'it is an HTML page'],
    ['.onnx', 'truncated', 'asset-wrong', 'it holds 2326524 bytes, not 2327524'],
  ] as const)('%s, %s: %s', async (ending, kind, code, words) => {
    await vad.setNetworkFault({ ending, kind });
    const error = await vad.load();
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(words);
    const file = ending === '.onnx' ? MODEL_FILE_NAME : 'ort-wasm-simd-threaded.wasm';
    expect(error?.message).toContain(file);
  });

  test('the right file, at last; and one thread, as none were asked for', async () => {
    await vad.setNetworkFault(null);
    expect(await vad.load()).toBeNull();
    expect(await vad.threads()).toBe(1);
  });
});

describe('many threads', () => {
  const { vad, stop } = startVadWorker();
  afterAll(stop);

  test('as many as there are cores, at most four, and the answers stay the same', async () => {
    expect(await vad.load(99)).toBeNull();
    expect(await vad.threads()).toBe(Math.min(4, navigator.hardwareConcurrency));
    const given = await vad.inferAll(createTestClip());
    SELF_TEST_PROBABILITIES.forEach((p, i) => {
      expect(given[i]).toBeCloseTo(p, 4);
    });
  });
});
