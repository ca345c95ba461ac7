import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEngineProcess } from '../../../../server/engine/engine-process.ts';
import {
  ConversionImpossible,
  convertInThread,
} from '../../../../server/models/convert/convert-in-thread.ts';
import { cutDecoderJoint } from '../../../../server/models/convert/make-ready.ts';
import {
  folderOf,
  hashFile,
  type ModelFolder,
  READY_FILES,
  readReady,
} from '../../../../server/models/layout/model-folder.ts';
import {
  layDown,
  MADE,
  type MadeFlaw,
  madeDecoderJoint,
  madeFiles,
  madeModel,
} from '../../../helpers/made-model.ts';
import { uncutWords } from '../../../helpers/uncut-transducer.ts';

const never = new AbortController().signal;
const LOGITS = MADE.vocabulary + 1 + MADE.durations;

async function laidDown(flaw?: MadeFlaw) {
  const root = await mkdtemp(join(tmpdir(), 'diktera-models-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const { model, files } = madeModel({}, madeFiles(flaw));
  const folder = folderOf(root, model);
  await layDown(files, folder.files);
  return { model, folder, files };
}

/** The text recognised in audio of this length, by the files in `ready`. */
async function recognised(folder: ModelFolder, seconds: number, precision: 'plain' | 'exact') {
  const path = (name: string) => join(folder.ready, name);
  const engine = startEngineProcess({
    kind: 'transducer',
    source: {
      encoder: path(READY_FILES.encoder),
      decoder: path(READY_FILES.decoder),
      joiner: path(READY_FILES.joiner),
      tokens: path(READY_FILES.tokens),
      featureBins: 128,
      threads: 1,
      precision,
    },
  });
  onTestFinished(() => engine.end());
  await engine.ready;
  const samples = new Float32Array(seconds * 16_000).map((_, at) => 0.1 * Math.sin(at / 20));
  return engine.recognise(samples, 'sv');
}

const words = async (...[folder, seconds, precision]: Parameters<typeof recognised>) =>
  (await recognised(folder, seconds, precision)).text.split(' ');

describe('a converted model', () => {
  const flaws = [undefined, 'inside-if', 'no-lengths'] as const;
  test.each(flaws)('writes word for word what it wrote before it was cut (%s)', async (flaw) => {
    const { model, folder, files } = await laidDown(flaw);
    await convertInThread({ model, folder }, never);
    const expected = await uncutWords(
      files.get('encoder.onnx')!,
      files.get('decoder_joint.onnx')!,
      1_200,
    );
    expect(expected.length).toBeGreaterThan(20);
    expect(new Set(expected).size).toBeGreaterThan(3);
    expect(await words(folder, 12, 'plain')).toEqual(expected);
  });

  test('tells of each word when it was said, and how certain it is', async () => {
    const { model, folder } = await laidDown();
    await convertInThread({ model, folder }, never);
    const { text, words: timed = [] } = await recognised(folder, 12, 'plain');
    expect(timed.map((word) => word.text).join(' ')).toBe(text);
    expect(timed.length).toBeGreaterThan(20);
    for (const [at, { startMs, endMs, certainty }] of timed.entries()) {
      expect(startMs).toBeGreaterThanOrEqual(timed[at - 1]?.startMs ?? 0);
      expect(endMs).toBeGreaterThanOrEqual(startMs);
      expect(endMs).toBeLessThanOrEqual(12_500);
      expect(certainty).toBeGreaterThan(0);
      expect(certainty).toBeLessThanOrEqual(1);
    }
    expect(timed.at(-1)!.startMs).toBeGreaterThan(6_000);
  });

  test('writes the same where exact sums are asked for', async () => {
    const { model, folder } = await laidDown();
    await convertInThread({ model, folder }, never);
    expect(await words(folder, 4, 'exact')).toEqual(await words(folder, 4, 'plain'));
  });

  test('is what its note says, its sources are gone, and again changes nothing', async () => {
    const { model, folder, files } = await laidDown();
    await convertInThread({ model, folder }, never);
    const ready = await readReady(folder);
    expect(ready).toMatchObject({ id: 'made-sv', commit: model.commit });
    for (const { name, sha256 } of ready!.files) {
      expect(await hashFile(join(folder.ready, name))).toBe(sha256);
    }
    const encoder = await readFile(join(folder.ready, 'encoder.onnx'));
    expect(encoder.subarray(0, files.get('encoder.onnx')!.length)).toEqual(
      Buffer.from(files.get('encoder.onnx')!),
    );
    await expect(hashFile(join(folder.files, 'encoder.onnx'))).rejects.toThrow('ENOENT');
    await convertInThread({ model, folder }, never);
    expect(await readReady(folder)).toEqual(ready);
  });

  test('half of one is never taken for one', async () => {
    const { model, folder } = await laidDown();
    await layDown(new Map([['encoder.onnx', Buffer.from('half')]]), folder.making);
    expect(await readReady(folder)).toBeNull();
    await convertInThread({ model, folder }, never);
    expect(await readReady(folder)).not.toBeNull();
    await writeFile(join(folder.ready, 'joiner.onnx'), 'cut off');
    expect(await readReady(folder)).toBeNull();
    await rm(join(folder.ready, 'joiner.onnx'));
    expect(await readReady(folder)).toBeNull();
  });
});

describe('what cannot be cut', () => {
  test.each([
    ['two-seams', /not one value/],
    ['no-states', /not two states/i],
  ] as const)('%s is said, and its files stay', async (flaw, message) => {
    const { model, folder } = await laidDown(flaw);
    const converted = convertInThread({ model, folder }, never);
    await expect(converted).rejects.toThrow(ConversionImpossible);
    await expect(converted).rejects.toThrow(message);
    expect(await readReady(folder)).toBeNull();
    expect(await hashFile(join(folder.files, 'encoder.onnx'))).toMatch(/^[\da-f]{64}$/);
  });

  test('bytes that are no model are no model, wherever they end', () => {
    const whole = madeDecoderJoint();
    expect(() => cutDecoderJoint(Buffer.from('<html>not found</html>'), LOGITS)).toThrow();
    for (let end = 0; end < whole.length; end += 97) {
      expect(() => cutDecoderJoint(whole.subarray(0, end), LOGITS)).toThrow();
    }
    expect(cutDecoderJoint(whole, LOGITS).seam).toBe('right');
  });
});
