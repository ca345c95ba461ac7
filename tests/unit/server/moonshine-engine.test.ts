import { describe, expect, onTestFinished, test } from 'vitest';
import { decodeAudio } from '../../../server/audio/decode-audio.ts';
import { systemClock } from '../../../server/core/system.ts';
import {
  EngineEnded,
  ModelUnloadable,
  type RunningRecogniser,
} from '../../../server/engine/engine-port.ts';
import { startEngineProcess } from '../../../server/engine/engine-process.ts';
import { createMoonshineEngine } from '../../../server/engine/engine-set.ts';
import {
  locateKnownFile,
  MOONSHINE_FILES,
  ModelFileError,
  moonshineTokens,
} from '../../../server/engine/load-sherpa.ts';
import { type RecogniseUtterance, recogniseInPieces } from '../../../server/engine/pieces.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { fixture } from '../../helpers/running-server.ts';

const WISH = { language: 'en', fast: true };
const never = new AbortController().signal;
const speech = (seconds: number) =>
  new Float32Array(seconds * 16_000).map((_, index) => 0.3 * Math.sin(index / 7));

/** The words of an utterance. */
type FakeRecognise = (utterance: Float32Array) => Promise<string>;

/** A recogniser in the hands of a test; each launch gives the next. */
function fakeProcesses(recognise: FakeRecognise) {
  const launched: { getReady(): void; fail(error: Error): void; end(): void; isEnded: boolean }[] =
    [];
  const launch = (): RunningRecogniser => {
    let getReady: () => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    let tellEnd: (reason: EngineEnded) => void = () => undefined;
    const ready = new Promise<void>((resolve, reject) => {
      getReady = resolve;
      fail = reject;
    });
    const ended = new Promise<EngineEnded>((resolve) => {
      tellEnd = resolve;
    });
    const gone = new EngineEnded('the engine ended: SIGSEGV');
    const one = {
      getReady,
      fail,
      isEnded: false,
      end() {
        one.isEnded = true;
        fail(gone);
        tellEnd(gone);
      },
    };
    launched.push(one);
    const lost = ended.then((reason) => Promise.reject(reason));
    lost.catch(() => undefined);
    return {
      ready,
      ended,
      end: one.end,
      recognise: async (part) => ({ text: await Promise.race([recognise(part), lost]) }),
    };
  };
  return { launch, launched };
}

async function startedEngine(recognise: FakeRecognise, hasSpare = false) {
  const clock = createFakeClock();
  const { launch, launched } = fakeProcesses(recognise);
  const failures: Error[] = [];
  const engine = createMoonshineEngine({
    launch,
    clock,
    onFailure: (error) => failures.push(error),
    hasSpare,
  });
  const started = engine.start();
  launched[0]?.getReady();
  await started;
  return { engine, clock, launched, failures };
}

describe('what the model gets to hear', () => {
  async function heard(samples: Float32Array, answer: (index: number) => string) {
    const lengths: number[] = [];
    const recognise: RecogniseUtterance = async (utterance) => ({
      text: answer(lengths.push(utterance.length) - 1),
    });
    return { ...(await recogniseInPieces(recognise, samples, never)), lengths };
  }

  test('at most 14 s at once, and the texts in order', async () => {
    const { text, lengths } = await heard(speech(40), (index) => `piece ${index}.`);
    expect(text).toBe(lengths.map((_, index) => `piece ${index}.`).join(' '));
    expect(lengths.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(14 * 16_000);
  });

  test('each piece says where in the audio it was heard, and its words with it', async () => {
    const samples = new Float32Array(20 * 16_000);
    samples.set(speech(5), 2 * 16_000);
    samples.set(speech(5), 12 * 16_000);
    const words = [{ text: 'word', startMs: 100, endMs: 300, certainty: 0.5 }];
    const recognise: RecogniseUtterance = async () => ({ text: 'word', words });
    const { parts } = await recogniseInPieces(recognise, samples, never);
    expect(parts.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [1_900, 7_100],
      [11_900, 17_100],
    ]);
    expect(parts[1]!.words).toEqual([{ ...words[0], startMs: 12_000, endMs: 12_200 }]);
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
  const comeAgain = { status: 503, code: 'engine_failed', retryAfterS: 1 };

  test('a decode that hangs ends the process; the request is to come again, and another process is loading', async () => {
    const { engine, clock, launched } = await startedEngine(() => new Promise(() => undefined));
    const failed = expect(engine.transcribe(speech(2), WISH, never)).rejects.toMatchObject(
      comeAgain,
    );
    await clock.advance(30_000);
    await failed;
    expect(launched.map(({ isEnded }) => isEnded)).toEqual([true, false]);
    expect(engine.state()).toEqual({ kind: 'loading' });
    launched[1]?.getReady();
    await clock.advance(0);
    expect(engine.state()).toEqual({ kind: 'ready' });
  });

  test('a crash refuses what was under way, to come again, and the next process starts at once', async () => {
    const { engine, clock, launched, failures } = await startedEngine(
      () => new Promise(() => undefined),
    );
    const lost = [speech(2), speech(3)].map((samples) =>
      expect(engine.transcribe(samples, WISH, never)).rejects.toMatchObject(comeAgain),
    );
    launched[0]?.end();
    await Promise.all(lost);
    expect(engine.state()).toEqual({ kind: 'loading' });
    expect(launched).toHaveLength(2);
    await expect(engine.transcribe(speech(1), WISH, never)).rejects.toMatchObject(comeAgain);
    launched[1]?.getReady();
    await clock.advance(0);
    expect(engine.state()).toEqual({ kind: 'ready' });
    expect(failures.map(({ message }) => message)).toEqual(['the engine ended: SIGSEGV']);
    expect(clock.waits()).toEqual([]);
  });

  test('one that ends before it is ready is tried again ever later, and said to have failed', async () => {
    const { engine, clock, launched } = await startedEngine(async () => '');
    const states: string[] = [];
    for (const waitMs of [0, 1_000, 2_000, 4_000, 8_000]) {
      await clock.advance(waitMs);
      states.push(engine.state().kind);
      launched.at(-1)?.end();
      await clock.advance(0);
    }
    expect(launched).toHaveLength(5);
    expect(states).toEqual(['ready', 'loading', 'loading', 'loading', 'failed']);
    await clock.advance(30_000);
    launched.at(-1)?.getReady();
    await clock.advance(0);
    expect(engine.state()).toEqual({ kind: 'ready' });
  });

  test('one that never gets ready is ended', async () => {
    const clock = createFakeClock();
    const { launch, launched } = fakeProcesses(async () => '');
    const engine = createMoonshineEngine({ launch, clock, onFailure: () => undefined });
    void engine.start();
    await clock.advance(60_000);
    expect(launched[0]?.isEnded).toBe(true);
    expect(engine.state()).toEqual({ kind: 'loading' });
  });

  test('a failure of the decoder is an error of one request only', async () => {
    const { engine, clock, launched } = await startedEngine(() =>
      Promise.reject(new Error('the decoder failed')),
    );
    await expect(engine.transcribe(speech(2), WISH, never)).rejects.toThrow(/^the decoder failed$/);
    expect(launched).toHaveLength(1);
    expect(clock.waits()).toEqual([]);
  });

  test('a model that cannot be loaded is told to the log, and in words fit for all to health', async () => {
    const failures: Error[] = [];
    const { launch, launched } = fakeProcesses(async () => '');
    const clock = createFakeClock();
    const engine = createMoonshineEngine({
      launch,
      clock,
      onFailure: (error) => failures.push(error),
    });
    expect(engine.state()).toEqual({ kind: 'loading' });
    const started = engine.start();
    const error = new ModelUnloadable('decoder.onnx is not the file we know', '/home/me: no');
    launched[0]?.fail(error);
    await started;
    expect(engine.state()).toEqual({ kind: 'failed', reason: error.reason });
    expect(failures).toEqual([error]);
    await clock.advance(60_000);
    expect(launched).toHaveLength(1);
  });

  test('starts once however often it is started, and never again when disposed of', async () => {
    const { engine, clock, launched } = await startedEngine(async () => '');
    await engine.start();
    await engine.dispose?.();
    await clock.advance(60_000);
    expect(launched.map(({ isEnded }) => isEnded)).toEqual([true]);
  });
});

describe('a spare', () => {
  test('takes over in the same moment, and the next is loaded', async () => {
    const { engine, clock, launched } = await startedEngine(async () => 'words', true);
    expect(launched).toHaveLength(1);
    await clock.advance(5_000);
    launched[1]?.getReady();
    await clock.advance(0);
    launched[0]?.end();
    await clock.advance(0);
    expect(engine.state()).toEqual({ kind: 'ready' });
    expect(await engine.transcribe(speech(1), WISH, never)).toMatchObject({ text: 'words' });
    expect(launched).toHaveLength(3);
    launched[1]?.end();
    await clock.advance(0);
    expect(engine.state()).toEqual({ kind: 'loading' });
    launched[2]?.getReady();
    await clock.advance(0);
    expect(engine.state()).toEqual({ kind: 'ready' });
  });

  test('what ended the first one is not tried on the second', async () => {
    let asked = 0;
    const { engine, clock, launched } = await startedEngine(() => {
      asked++;
      return new Promise(() => undefined);
    }, true);
    await clock.advance(5_000);
    launched[1]?.getReady();
    await clock.advance(0);
    const lost = expect(engine.transcribe(speech(2), WISH, never)).rejects.toMatchObject({
      status: 503,
      retryAfterS: 1,
    });
    launched[0]?.end();
    await lost;
    expect(asked).toBe(1);
  });

  test('that ends, or cannot be loaded, disturbs nobody and is tried again', async () => {
    const { engine, clock, launched } = await startedEngine(async () => 'words', true);
    await clock.advance(5_000);
    launched[1]?.end();
    await clock.advance(30_000);
    launched[2]?.fail(new ModelUnloadable('gone', '/home/me'));
    await clock.advance(30_000);
    expect(launched).toHaveLength(4);
    expect(engine.state()).toEqual({ kind: 'ready' });
    await engine.dispose?.();
    expect(launched.map(({ isEnded }) => isEnded)).toEqual([true, true, true, true]);
    await clock.advance(60_000);
    expect(launched).toHaveLength(4);
  });
});

describe('the process of the engine', () => {
  test('killed in the middle it refuses what it had, and another is there soon', async () => {
    const clock = systemClock;
    const ids: (number | undefined)[] = [];
    const launch = () => {
      const one = startEngineProcess({ kind: 'moonshine' }, { threads: 2 });
      ids.push(one.id);
      return one;
    };
    const engine = createMoonshineEngine({ launch, clock, onFailure: () => undefined });
    onTestFinished(() => engine.dispose?.());
    await engine.start();
    const lost = expect(engine.transcribe(speech(200), WISH, never)).rejects.toMatchObject({
      status: 503,
    });
    process.kill(ids[0] ?? 0, 'SIGSEGV');
    await lost;
    expect(engine.state()).toEqual({ kind: 'loading' });
    await expect.poll(() => engine.state().kind, { timeout: 15_000 }).toBe('ready');
    const samples = await decodeAudio(fixture('dictation-one.wav'), 60_000);
    const heard = await engine.transcribe(samples.samples, WISH, never);
    expect(heard.text.split(' ').length).toBeGreaterThan(3);
    expect(ids).toHaveLength(2);
  }, 40_000);
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
