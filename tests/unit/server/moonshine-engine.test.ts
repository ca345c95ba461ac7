import { describe, expect, test } from 'vitest';
import { MOONSHINE_FILES } from '../../../server/engine/load-moonshine.ts';
import { createMoonshineEngine } from '../../../server/engine/moonshine-engine.ts';
import { moonshineTokens } from '../../../server/engine/moonshine-tokens.ts';
import { locateKnownFile, ModelFileError } from '../../../server/engine/package-files.ts';
import { type Recogniser, recogniseInPieces } from '../../../server/engine/recognise-in-pieces.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';

const WISH = { language: 'en', fast: true };
const never = new AbortController().signal;
const speech = (seconds: number) =>
  new Float32Array(seconds * 16_000).map((_, index) => 0.3 * Math.sin(index / 7));

async function startedEngine(recognise: Recogniser) {
  const clock = createFakeClock();
  const engine = createMoonshineEngine({
    load: async () => recognise,
    clock,
    onFailure: () => undefined,
  });
  await engine.start();
  return { engine, clock };
}

describe('what the model gets to hear', () => {
  async function heard(samples: Float32Array, answer: (index: number) => string) {
    const lengths: number[] = [];
    const recognise: Recogniser = async (utterance) => answer(lengths.push(utterance.length) - 1);
    return { text: await recogniseInPieces(recognise, samples, never), lengths };
  }

  test('at most 14 s at once, and the texts in order', async () => {
    const { text, lengths } = await heard(speech(40), (index) => `piece ${index}.`);
    expect(text).toBe(lengths.map((_, index) => `piece ${index}.`).join(' '));
    expect(lengths.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(14 * 16_000);
  });

  test('a narrower window when it heard nothing, and the first text it gives', async () => {
    const samples = new Float32Array(5 * 16_000).map((_, index) => 0.01 * Math.sin(index / 3));
    samples.set(speech(1), 2 * 16_000);
    const { text, lengths } = await heard(samples, (index) => (index === 0 ? ' ' : ' words '));
    expect(text).toBe('words');
    expect(lengths).toHaveLength(2);
    expect(lengths[1]!).toBeLessThan(lengths[0]!);
  });

  test('nothing of zeros, never less than 200 ms of anything else', async () => {
    expect((await heard(new Float32Array(40 * 16_000), () => 'x')).lengths).toEqual([]);
    expect((await heard(new Float32Array([0.5]), () => 'x')).lengths).toEqual([3_200]);
  });

  test('nothing more once nobody wants it', async () => {
    const leaving = new AbortController();
    const { engine } = await startedEngine(async () => {
      leaving.abort(new Error('gone'));
      return 'words';
    });
    await expect(engine.transcribe(speech(40), WISH, leaving.signal)).rejects.toThrow('gone');
  });
});

describe('an engine that cannot go on', () => {
  test('a decode that hangs fails its request and takes the engine out until it comes back', async () => {
    let comeBack: (text: string) => void = () => undefined;
    const { engine, clock } = await startedEngine(
      () => new Promise((resolve) => (comeBack = resolve)),
    );
    const hanging = engine.transcribe(speech(2), WISH, never);
    const failed = expect(hanging).rejects.toThrow('30000 ms');
    await clock.advance(30_000);
    await failed;
    expect(engine.state()).toMatchObject({ status: 'failed' });
    comeBack('too late');
    await clock.advance(0);
    expect(engine.state()).toEqual({ status: 'ready' });
  });

  test('a failure of the decoder does not carry what it was about', async () => {
    const { engine, clock } = await startedEngine(() => Promise.reject(new Error('my words')));
    await expect(engine.transcribe(speech(2), WISH, never)).rejects.toThrow(/^the decoder failed$/);
    expect(clock.waits()).toEqual([]);
  });

  test.each([
    [
      new ModelFileError('decoder.onnx is not the file we know'),
      'decoder.onnx is not the file we know',
    ],
    [new Error('/home/me/node_modules: no'), 'the model could not be loaded'],
  ])(
    'a load that fails is told to the log, and in words fit for all to health',
    async (error, reason) => {
      const logged: unknown[] = [];
      const engine = createMoonshineEngine({
        load: () => Promise.reject(error),
        clock: createFakeClock(),
        onFailure: (failure) => logged.push(failure),
      });
      expect(engine.state()).toEqual({ status: 'loading' });
      await engine.start();
      expect(engine.state()).toEqual({ status: 'failed', reason });
      expect(logged).toEqual([error]);
      await expect(engine.transcribe(speech(1), WISH, never)).rejects.toThrow('not loaded');
    },
  );

  test('loads once however often it is started', async () => {
    let loads = 0;
    const engine = createMoonshineEngine({
      load: async () => {
        loads++;
        return async () => '';
      },
      clock: createFakeClock(),
      onFailure: () => undefined,
    });
    await Promise.all([engine.start(), engine.start()]);
    expect(loads).toBe(1);
  });
});

describe('only the files we know', () => {
  test('the weights are there, byte for byte', async () => {
    await expect(locateKnownFile(MOONSHINE_FILES.encoder)).resolves.toMatch(/encoder_model\.onnx$/);
  });

  test('another file, or none, is refused by name', async () => {
    const { packagePath } = MOONSHINE_FILES.encoder;
    const wrong = { packagePath, sha256: 'a'.repeat(64) };
    await expect(locateKnownFile(wrong)).rejects.toThrow(ModelFileError);
    await expect(locateKnownFile(wrong)).rejects.toThrow(/encoder_model\.onnx is not the file/);
    const missing = { packagePath: 'no-such-package/x.onnx', sha256: '' };
    await expect(locateKnownFile(missing)).rejects.toThrow('no-such-package/x.onnx is missing');
  });

  test('a vocabulary with one token changed never reaches the decoder', async () => {
    const { default: tokenizer } = await import('llama-tokenizer-js');
    const vocabulary = [...tokenizer.vocabById];
    expect(Buffer.from(moonshineTokens(vocabulary)).toString('ascii')).toMatch(/ 0\n.* 1\n/);
    vocabulary[12_345] += 'x';
    expect(() => moonshineTokens(vocabulary)).toThrow(ModelFileError);
    expect(() => moonshineTokens([])).toThrow(ModelFileError);
  });
});
