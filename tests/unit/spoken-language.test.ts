import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServerState } from '../../src/core/session/snapshot.ts';
import { spokenLanguage } from '../../src/core/session/spoken-language.ts';
import { createServerWatch } from '../../workers/server-watch.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';
import { answerText, startTestServer } from '../helpers/transcription-server.ts';
import { createQueueBench } from '../helpers/upload-queue.ts';

function knows(...languages: readonly string[]): ServerState {
  const whole = { model: 'm', languages };
  return { kind: 'ready', engine: 'e', ...whole, engines: [whole] };
}

const AWAY: ServerState = {
  kind: 'unavailable',
  error: { code: 'http-network', message: 'Request failed' },
};
const ITS_OWN = { language: '', isMissing: false };
const SWEDE = ['sv', 'sv-SE'];

describe('the language of a recording', () => {
  test.each<
    [string, string, readonly string[] | undefined, ServerState, ReturnType<typeof spokenLanguage>]
  >([
    ['chosen', 'en', undefined, knows('sv', 'en'), { language: 'en', isMissing: false }],
    ['chosen, missing', 'sv', undefined, knows('en'), { language: 'sv', isMissing: true }],
    ['chosen, nothing told', 'sv', undefined, AWAY, { language: 'sv', isMissing: false }],
    ['the page', '', SWEDE, knows('en', 'sv'), { language: 'sv', isMissing: false }],
    ['by its region', '', ['sv-SE'], knows('en', 'sv'), { language: 'sv', isMissing: false }],
    [
      'as the server writes it',
      '',
      ['sv'],
      knows('sv-SE'),
      { language: 'sv-SE', isMissing: false },
    ],
    ['exactly', '', ['pt-BR'], knows('pt-PT', 'pt-BR'), { language: 'pt-BR', isMissing: false }],
    ['under another name', '', ['nb-NO'], knows('no'), { language: 'no', isMissing: false }],
    ['the browser', '', ['sv', 'en-GB'], knows('en'), { language: 'en', isMissing: false }],
    [
      'the page first',
      '',
      ['en', 'sv-SE'],
      knows('sv', 'en'),
      { language: 'en', isMissing: false },
    ],
    ['a page without one', '', ['', 'sv-SE'], knows('sv'), { language: 'sv', isMissing: false }],
    ['none of them', '', SWEDE, knows('en'), { language: 'sv', isMissing: true }],
    ['none, a page without', '', ['', 'sv-SE'], knows('en'), { language: 'sv', isMissing: true }],
    ['not known yet', '', SWEDE, { kind: 'unknown' }, null],
    ['not ready yet', '', SWEDE, { kind: 'loading' }, null],
    ['a server that tells none', '', SWEDE, knows(), ITS_OWN],
    ['a server without health', '', SWEDE, AWAY, ITS_OWN],
    ['nothing likely', '', [], knows('en'), ITS_OWN],
    ['an older recording', '', undefined, knows('en'), ITS_OWN],
  ])('%s', (_name, language, likelyLanguages, server, expected) => {
    expect(spokenLanguage({ language, likelyLanguages }, server)).toEqual(expected);
  });

  test('one that an engine is only being made ready for is not there', () => {
    const server = { ...knows('en'), languages: ['en', 'sv'] };
    expect(spokenLanguage({ language: '', likelyLanguages: SWEDE }, server)?.isMissing).toBe(true);
  });
});

describe('a chunk whose language nobody chose', () => {
  const options = { removePii: false, fixSpelling: true, fast: true, language: '' };
  const item = makeQueueItem({ options: { ...options, likelyLanguages: SWEDE } });

  async function setUp(health: ServerState) {
    const server = await startTestServer(() => answerText('ord'));
    onTestFinished(() => server.close());
    let now = health;
    const bench = createQueueBench(server, { health: () => now });
    onTestFinished(() => bench.queue.dispose());
    bench.queue.start();
    return {
      ...bench,
      server,
      state: () => bench.head(item.id)?.state,
      tell(next: ServerState) {
        now = next;
        bench.queue.serverSeen('ready', next);
      },
    };
  }

  test('is not sent to a server that has another, and goes by itself when it has learnt it', async () => {
    const { queue, server, state, advanceUntil: until, tell } = await setUp(knows('en'));
    tell(knows('en'));
    await queue.enqueue(item);
    await until(() => state()?.kind === 'refused');
    expect(state()).toMatchObject({ error: { code: 'language-missing' } });
    expect(queue.missesLanguage()).toBe(true);
    tell(knows('en'));
    expect(server.calls).toEqual([]);

    tell(knows('en', 'sv'));
    await until(() => state()?.kind === 'answered');
    expect(server.calls.map(({ fields }) => fields.language)).toEqual(['sv']);
    expect(queue.missesLanguage()).toBe(false);
  });

  test('of an earlier day, refused by then, goes when the page is opened and the server has it', async () => {
    const { queue, server, state, advanceUntil: until, tell } = await setUp(knows('sv'));
    const error = { code: 'language-missing', message: '422' } as const;
    await queue.enqueue({ ...item, rounds: 1, state: { kind: 'refused', error } });
    tell(knows('sv'));
    await until(() => state()?.kind === 'answered');
    expect(server.calls).toHaveLength(1);
  });

  test('asked for by a person, the server is asked, which may be making it ready', async () => {
    const { queue, server, state, advanceUntil: until } = await setUp(knows('en'));
    await queue.enqueue(item);
    await until(() => state()?.kind === 'refused');
    await queue.retry(item.id);
    await until(() => state()?.kind === 'answered');
    expect(server.calls.map(({ fields }) => fields.language)).toEqual(['sv']);
  });

  test.each<[string, ServerState, string]>([
    ['tells of no languages', AWAY, ''],
    ['has not told of them yet', { kind: 'loading' }, 'sv'],
    ['has it', knows('en', 'sv'), 'sv'],
  ])('of a server that %s', async (_name, health, language) => {
    const { queue, server, state, advanceUntil: until } = await setUp(health);
    await queue.enqueue(item);
    await until(() => state()?.kind === 'answered');
    expect(server.calls.map(({ fields }) => fields.language)).toEqual([language]);
  });
});

test('while something waits for a language a server that is ready is looked at', async () => {
  const clock = createFakeClock();
  let looks = 0;
  let isMissed = true;
  const watch = createServerWatch({
    look: async () => {
      looks += 1;
      return { status: 200, body: { status: 'ready', engine: 'e', model: 'm', languages: ['en'] } };
    },
    clock,
    random: () => 0,
    dispatch: () => {},
    log: createRecordingLog(),
    isNeeded: () => false,
    isSeen: async () => true,
    isLanguageMissed: () => isMissed,
    onLook: () => {},
  });
  watch.missLanguage();
  watch.missLanguage();
  await clock.advance(30_000);
  expect(looks).toBe(1);
  await clock.advance(60_000);
  expect(looks).toBe(3);
  isMissed = false;
  await clock.advance(120_000);
  expect(looks).toBe(3);
});
