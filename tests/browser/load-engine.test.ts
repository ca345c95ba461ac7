import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MODEL_FILES } from '../../src/core/model-files.ts';
import { SELF_TEST_PROBABILITIES } from '../../workers/vad/self-test.ts';
import { createTestClip } from '../../workers/vad/test-clip.ts';
import { startVadWorker } from '../helpers/vad-worker.ts';

let bench: ReturnType<typeof startVadWorker>;
beforeEach(() => {
  bench = startVadWorker();
});
afterEach(() => bench.stop());

describe('a file that is not what it should be', () => {
  test.each([
    ['.onnx', 'html', 'asset-wrong', 'it is an HTML page'],
    ['.onnx', 'truncated', 'asset-wrong', 'it holds 2326524 bytes, not 2327524'],
    ['.onnx', 'not-found', 'asset-unreachable', '404'],
    ['.wasm', 'html', 'asset-wrong', 'it is an HTML page'],
    ['.wasm', 'not-found', 'asset-unreachable', '404'],
  ] as const)('%s, %s: %s, and the next try may succeed', async (ending, kind, code, words) => {
    const { vad } = bench;
    await vad.setNetworkFault({ ending, kind });
    const error = await vad.load('v6');
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(words);
    const file = ending === '.onnx' ? MODEL_FILES.v6.fileName : 'ort-wasm-simd-threaded';
    expect(error?.message).toContain(file);

    await vad.setNetworkFault(null);
    expect(await vad.load('v6')).toBeNull();
  });
});

describe('threads', () => {
  test('one unless more are asked for', async () => {
    expect(await bench.vad.load('v6')).toBeNull();
    expect(await bench.vad.threads()).toBe(1);
  });

  test('as many as there are cores, at most four, and the answers stay the same', async () => {
    expect(await bench.vad.load('v6', 99)).toBeNull();
    expect(await bench.vad.threads()).toBe(Math.min(4, navigator.hardwareConcurrency));
    const given = await bench.vad.judgeAll(createTestClip());
    SELF_TEST_PROBABILITIES.v6.forEach((p, i) => {
      expect(given[i]).toBeCloseTo(p, 4);
    });
  });
});
