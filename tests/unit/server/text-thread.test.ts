import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../server/system-clock.ts';
import { startTextThread, type TextThread } from '../../../server/text/text-thread.ts';
import {
  createThreadedTextRules,
  type ThreadedTextRules,
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

function start(over: { timeLimitMs?: number; ownWords?: string[] } = {}) {
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
  return rules;
}

const both = { removePii: true, fixSpelling: true, language: 'sv' };
const maskOnly = { ...both, fixSpelling: false };
const spellingOnly = { ...both, removePii: false };
const hard = (characters: number) =>
  HOSTILE_TEXTS.find(({ name }) => name === 'digits and spaces')?.ofLength(characters) ?? '';

describe('text work in a thread', () => {
  test('masks at once, and corrects when the dictionaries are read', async () => {
    const { load, apply, states } = start();
    expect(states).toEqual({ removePii: 'active', fixSpelling: 'inactive' });
    expect(await apply('a  850709-9805', maskOnly)).toBe('a  [personnummer]');
    await load();
    expect(rules?.states.fixSpelling).toBe('active');
    expect(await apply('ring  mig kanskee på 070-174 06 05', both)).toBe(
      'Ring mig kanske på [telefonnummer].',
    );
    expect(failures).toEqual([]);
  }, 40_000);

  test("words of the operator's prompt are left alone", async () => {
    const { load, apply } = start({ ownWords: ['kanskee'] });
    await load();
    expect(await apply('vi ses kanskee i morgon', spellingOnly)).toBe('Vi ses kanskee i morgon.');
  }, 40_000);

  test('the main thread goes on while a hard text of 50,000 characters is masked', async () => {
    const { load, apply } = start({ timeLimitMs: 60_000 });
    await load();
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    await apply(hard(50_000), maskOnly);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  }, 100_000);

  test('too long: what was to be masked is not given, spelling leaves the words, the next goes on', async () => {
    const { load, apply } = start({ timeLimitMs: 1_500 });
    await load();
    const secret = `${hard(200_000)} 850709-9805`;
    await expect(apply(secret, both)).rejects.toThrow('took too long');
    const [again, next] = [apply(secret, maskOnly), apply('850709-9805', maskOnly)];
    await expect(again).rejects.toThrow('took too long');
    expect(await next).toBe('[personnummer]');
    expect(threads).toHaveLength(3);
    expect(failures.join()).not.toContain('8507');
  }, 100_000);

  test('a thread that dies: masking fails closed, spelling leaves the words', async () => {
    const { load, apply } = start();
    await load();
    const masked = apply(`${hard(50_000)} 850709-9805`, maskOnly);
    await Promise.resolve();
    setTimeout(() => void threads[0]?.terminate(), 50);
    await expect(masked).rejects.toThrow('the text thread ended');
    expect(await apply('850709-9805', maskOnly)).toBe('[personnummer]');
    const spelled = apply(`kanskee ${hard(50_000)}`, spellingOnly);
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
  expect(failures).toEqual(['the text thread ended']);
});
