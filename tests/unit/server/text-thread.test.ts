import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../server/core/system.ts';
import {
  createThreadedTextRules,
  startTextThread,
  type TextThread,
  type ThreadedTextRulePorts,
  type ThreadedTextRules,
  textTimeLimitMs,
} from '../../../server/text/threaded-text-rules.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { HOSTILE_TEXTS } from '../../helpers/hostile-texts.ts';
import { postSpeech, speechForm, startServer } from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

/** The real thread with the real dictionaries. */
let rules: ThreadedTextRules | null = null;
let threads: TextThread[] = [];
let failures: string[] = [];
afterEach(async () => {
  await rules?.dispose();
  [rules, threads, failures] = [null, [], []];
});

function start(over: Partial<ThreadedTextRulePorts> = {}) {
  rules = createThreadedTextRules({
    clock: systemClock,
    onFailure: ({ message }) => failures.push(message),
    startThread(data, clock) {
      const thread = startTextThread(data, clock);
      threads.push(thread);
      return thread;
    },
    ...over,
  });
  const { apply, load } = rules;
  const textOf = async (...asked: Parameters<typeof apply>) => (await apply(...asked)).text;
  return { apply, load, textOf };
}

const both = { removePii: true, fixSpelling: true, language: 'sv' };
const maskOnly = { ...both, fixSpelling: false };
const spellingOnly = { ...both, removePii: false };
const hard = (characters: number) =>
  HOSTILE_TEXTS.find(({ name }) => name === 'digits and spaces')?.ofLength(characters) ?? '';

describe('text work in a thread', () => {
  test('masks at once, and corrects when the dictionaries are read', async () => {
    const { load, textOf } = start();
    expect(rules?.states).toEqual({ removePii: 'active', fixSpelling: 'inactive' });
    expect(await textOf('a  850709-9805', maskOnly)).toBe('a  [personnummer]');
    await load();
    expect(rules?.states.fixSpelling).toBe('active');
    expect(await textOf('ring  mig kanskee på 070-174 06 05', both)).toBe(
      'Ring mig kanske på [telefonnummer].',
    );
    expect(failures).toEqual([]);
  }, 40_000);

  test("words of the operator's prompt are left alone", async () => {
    const { load, textOf } = start({ ownWords: ['kanskee'] });
    await load();
    expect(await textOf('vi ses kanskee i morgon', spellingOnly)).toBe('Vi ses kanskee i morgon.');
  }, 40_000);

  test('the main thread goes on while a hard text of 50,000 characters is masked', async () => {
    const { load, apply } = start({ timeLimitMs: () => 60_000 });
    await load();
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    await apply(hard(50_000), maskOnly);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  }, 100_000);

  test('too long: what was to be masked is not given, and the next text goes on', async () => {
    const { load, apply, textOf } = start({ timeLimitMs: () => 1_500 });
    await load();
    const secret = `${hard(200_000)} 850709-9805`;
    await expect(apply(secret, both)).rejects.toThrow('took too long');
    const [again, next] = [apply(secret, maskOnly), textOf('850709-9805', maskOnly)];
    await expect(again).rejects.toThrow('took too long');
    expect(await next).toBe('[personnummer]');
    expect(threads).toHaveLength(3);
    expect(failures.join()).not.toContain('8507');
  }, 100_000);

  test('spelling that takes too long leaves the masked words, and the answer says that it failed', async () => {
    const { load, apply } = start({
      // However fast the thread is, and however busy the machine: this limit is over first.
      clock: {
        ...systemClock,
        after(delayMs, run) {
          if (delayMs !== 0) return systemClock.after(delayMs, run);
          queueMicrotask(run);
          return () => undefined;
        },
      },
      timeLimitMs: (characters) => (characters > 1_000 ? 0 : 60_000),
    });
    await load();
    const words = 'vi ses kanskee i morgon '.repeat(50);
    expect(await apply(words, spellingOnly)).toEqual({
      text: words,
      outcomes: { removePii: 'off', fixSpelling: 'failed' },
    });
    // A new one has been started already, and does what is asked.
    expect(threads).toHaveLength(2);
    expect(await apply('kanskee  850709-9805', both)).toEqual({
      text: 'Kanske [personnummer]',
      outcomes: { removePii: 'applied', fixSpelling: 'applied' },
    });
  }, 100_000);

  test('one text holds the thread for no longer than goes with its length', () => {
    expect(textTimeLimitMs(0)).toBe(1_000);
    expect(textTimeLimitMs(1_300)).toBeLessThan(1_500);
    expect(textTimeLimitMs(10_000)).toBeLessThanOrEqual(4_000);
    expect(textTimeLimitMs(10_000_000)).toBe(10_000);
  });

  test('a thread that dies: masking fails closed, spelling leaves the words', async () => {
    const { load, apply, textOf } = start();
    await load();
    const masked = apply(`${hard(50_000)} 850709-9805`, maskOnly);
    await Promise.resolve();
    setTimeout(() => void threads[0]?.terminate(), 50);
    await expect(masked).rejects.toThrow('the text thread ended');
    expect(await textOf('850709-9805', maskOnly)).toBe('[personnummer]');
    const spelled = textOf(`kanskee ${hard(50_000)}`, spellingOnly);
    setTimeout(() => void threads[1]?.terminate(), 1);
    expect(await spelled).toBe(`kanskee ${hard(50_000)}`);
  }, 100_000);
});

test.each([
  ['removePii', 500],
  ['fixSpelling', 200],
])('a thread that cannot start, %s asked for: %i', async (asked, status) => {
  const said = 'my number is 850709-9805';
  const broken = createThreadedTextRules({
    clock: systemClock,
    onFailure: ({ message }) => failures.push(message),
    startThread: () => ({
      ready: Promise.resolve(null),
      ask: () => Promise.reject(new Error('the text thread ended')),
      isOver: () => true,
      terminate: async () => undefined,
    }),
  });
  const { engine } = createFakeEngine(said);
  const server = await startServer({ engine, textRules: broken });
  const fields = { removePii: 'false', fixSpelling: 'false', [asked]: 'true' };
  const answer = await postSpeech(
    server,
    speechForm(waveFile(16_000, tone(440, 16_000, 0.5)), fields),
  );
  await server.close();
  expect(answer.status).toBe(status);
  expect(JSON.stringify(answer.body).includes('850709')).toBe(status === 200);
  if (status === 200) {
    expect(answer.body.textRules).toEqual({ removePii: 'off', fixSpelling: 'failed' });
  }
  expect(failures).toEqual(['the text thread ended']);
});
