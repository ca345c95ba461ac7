import { describe, expect, test } from 'vitest';
import type { HealthAnswer } from '../../src/core/contracts/server-health.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import { createServerWatch } from '../../workers/server-watch.ts';
import type { ServerSight } from '../../workers/upload/backlog.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

const READY = { status: 'ready', engine: 'e', model: 'm', languages: ['sv', 7] };
const HEALTHY = { kind: 'ready', engine: 'e', model: 'm', languages: ['sv'] };
const GONE = new DikteraError('http-timeout', 'Request timed out: GET http://x/api/health');

const NOT_NEEDED = {
  random: () => 0,
  isNeeded: () => false,
  isSeen: async () => true,
  onLook: () => {},
};

/** A watch for which something waits, and when it looked, in ms from the beginning. */
function setUpNeeded(how: { isSeen?: boolean; answer?: () => Promise<HealthAnswer> } = {}) {
  const clock = createFakeClock();
  const looks: number[] = [];
  const seen: ServerSight[] = [];
  const startMs = clock.nowMs();
  let isNeeded = true;
  let isSeen = how.isSeen ?? true;
  const watch = createServerWatch({
    look: async () => {
      looks.push(clock.nowMs() - startMs);
      return how.answer ? how.answer() : { status: 200, body: READY };
    },
    clock,
    random: () => 0.5,
    log: createRecordingLog(),
    dispatch: () => {},
    isNeeded: () => isNeeded,
    isSeen: async () => isSeen,
    onLook: (sight) => seen.push(sight),
  });
  return {
    watch,
    clock,
    looks,
    seen,
    satisfy: () => {
      isNeeded = false;
    },
    show: () => {
      isSeen = true;
    },
  };
}

describe('while something waits for the server', () => {
  test('it is looked for every two seconds and sooner, ready or not, and no longer', async () => {
    const { watch, clock, looks, seen, satisfy } = setUpNeeded();
    watch.need();
    watch.need();
    await clock.advance(8_000);
    expect(looks).toEqual([1_400, 2_800, 4_200, 5_600, 7_000]);
    expect(seen).toEqual(new Array(5).fill('ready'));
    satisfy();
    await clock.advance(60_000);
    expect(looks.length).toBeLessThanOrEqual(6);
  });

  test('with no tab visible the pauses double, up to half a minute; a tab that is shown looks at once', async () => {
    const { watch, clock, looks, show } = setUpNeeded({ isSeen: false });
    watch.need();
    await clock.advance(300_000);
    const pauses = looks.slice(1).map((atMs, index) => atMs - (looks[index] ?? 0));
    expect(pauses.slice(0, 4)).toEqual([2_800, 5_600, 11_200, 22_400]);
    expect(Math.max(...pauses)).toBe(26_250);
    show();
    watch.ask();
    await clock.advance(0);
    expect(looks.at(-1)).toBe(300_000);
    await clock.advance(1_400);
    expect(looks.at(-1)).toBe(301_400);
  });

  test.each<[string, number, unknown, ServerSight]>([
    ['its health', 200, READY, 'ready'],
    ['a server without health', 404, undefined, 'somebody'],
    ['a page of a portal', 200, undefined, 'somebody'],
    ['an engine still being loaded', 503, { ...READY, status: 'loading' }, 'nobody'],
    ['a gateway without a server', 502, undefined, 'nobody'],
  ])('%s says whether something is there', async (_what, status, body, sight) => {
    const { watch, clock, seen } = setUpNeeded({ answer: async () => ({ status, body }) });
    watch.ask();
    await clock.advance(0);
    expect(seen).toEqual([sight]);
  });

  test('a clock that is set back an hour during a look puts the next one off by nothing', async () => {
    let answer = (_answer: HealthAnswer): void => {};
    const answered = () =>
      new Promise<HealthAnswer>((resolve) => {
        answer = resolve;
      });
    const { watch, clock } = setUpNeeded({ answer: answered });
    watch.ask();
    clock.jump(-3_600_000);
    answer({ status: 503, body: undefined });
    await clock.advance(0);
    expect(clock.waits()).toEqual([1_400]);
  });

  test('nobody there is nobody, and is looked for again', async () => {
    const { watch, clock, looks, seen } = setUpNeeded({ answer: () => Promise.reject(GONE) });
    watch.need();
    await clock.advance(4_000);
    expect(looks).toHaveLength(2);
    expect(seen).toEqual(['nobody', 'nobody']);
  });
});

test('why a server is of no use is logged once, until it changes, and asking ends when it is ready', async () => {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const events: SnapshotEvent[] = [];
  const answers = [
    GONE,
    GONE,
    { ...READY, status: 'failed' },
    { ...READY, status: 'loading' },
    GONE,
    READY,
  ];
  const watch = createServerWatch({
    ...NOT_NEEDED,
    look: async () => {
      const answer = answers.shift();
      if (answer === GONE) throw answer;
      return { status: answer === READY ? 200 : 503, body: answer };
    },
    clock,
    log,
    dispatch: (event) => events.push(event),
  });
  watch.ask();
  await clock.advance(300_000);
  const words = 'The transcription server is of no use now';
  expect(log.lines).toEqual([
    ['warn', words, GONE.message],
    ['warn', words, 'The server is not ready: failed'],
    ['warn', words, GONE.message],
  ]);
  expect(answers).toEqual([]);
  const engines = [{ model: 'm', languages: ['sv'] }];
  expect(events.at(-1)).toEqual({ kind: 'server-changed', server: { ...HEALTHY, engines } });
  expect(clock.waits()).toEqual([]);
});

test.each<[string, number, unknown]>([
  ['no health', 404, undefined],
  ['no health, as this page may not read it', 0, undefined],
  ['a health of another program', 200, { status: 'ok' }],
  ['one that says ready in other words', 200, { status: 'ready' }],
  ['a page', 200, undefined],
])('a server with %s tells nothing: no word of it, and no more looks', async (_, status, body) => {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const events: SnapshotEvent[] = [];
  let looks = 0;
  const watch = createServerWatch({
    ...NOT_NEEDED,
    look: async () => {
      looks += 1;
      return { status, body };
    },
    clock,
    log,
    dispatch: (event) => events.push(event),
  });
  watch.ask();
  await clock.advance(600_000);
  expect(events).toEqual([{ kind: 'server-changed', server: { kind: 'untold' } }]);
  expect([log.lines, clock.waits(), looks]).toEqual([[], [], 1]);
  expect(watch.offer()).toEqual({
    audioTypes: null,
    takesKeys: false,
    freePieces: false,
    vocabularyCharacters: 0,
    sharedVocabulary: null,
    tellsTimes: false,
    account: null,
  });
});

test('a server whose text has come is not away, whatever its health', async () => {
  const clock = createFakeClock();
  const events: SnapshotEvent[] = [];
  let answer: unknown = GONE;
  const watch = createServerWatch({
    ...NOT_NEEDED,
    look: async () => {
      if (answer === GONE) throw GONE;
      return { status: 503, body: answer };
    },
    clock,
    log: createRecordingLog(),
    dispatch: (event) => events.push(event),
  });
  watch.ask();
  await clock.advance(0);
  watch.answered();
  expect(events.at(-1)).toEqual({ kind: 'server-changed', server: { kind: 'untold' } });
  expect(clock.waits()).toEqual([]);
  // Its own status counts for more: another of its engines wrote the text.
  answer = { ...READY, status: 'failed' };
  watch.look();
  await clock.advance(0);
  watch.answered();
  expect(events.at(-1)).toMatchObject({ server: { kind: 'unavailable' } });
});

test('what the server offers is what it said last', async () => {
  const answers: unknown[] = [
    { ...READY, audioTypes: ['audio/wav', 7], idempotencyKeys: true, account: 'a' },
    undefined,
  ];
  const clock = createFakeClock();
  const watch = createServerWatch({
    ...NOT_NEEDED,
    look: async () => ({ status: 200, body: answers.shift() }),
    clock,
    log: createRecordingLog(),
    dispatch: () => {},
  });
  for (let look = 0; look < 2; look += 1) {
    watch.look();
    await clock.advance(0);
    expect(watch.offer()).toMatchObject({
      audioTypes: ['audio/wav'],
      takesKeys: true,
      account: 'a',
    });
  }
});

test('the engines that are ready are told, each with its languages', async () => {
  const events: SnapshotEvent[] = [];
  const engines = [
    { engine: 'openai', model: 'kb-whisper', languages: ['sv'], status: 'ready' },
    { engine: 'moonshine', model: 'tiny', languages: ['en'], status: 'loading' },
    null,
  ];
  const watch = createServerWatch({
    ...NOT_NEEDED,
    look: async () => ({ status: 200, body: { ...READY, engines } }),
    clock: createFakeClock(),
    log: createRecordingLog(),
    dispatch: (event) => events.push(event),
  });
  watch.ask();
  await expect
    .poll(() => events)
    .toEqual([
      {
        kind: 'server-changed',
        server: { ...HEALTHY, engines: [{ model: 'kb-whisper', languages: ['sv'] }] },
      },
    ]);
});

test('short requests are free where it says so, also while it is away', async () => {
  const clock = createFakeClock();
  const answers = [READY, { ...READY, freePieces: true }, { status: 'loading' }, READY];
  const told: unknown[] = [];
  const watch = createServerWatch({
    ...NOT_NEEDED,
    look: async () => ({ status: 200, body: answers.shift() }),
    clock,
    log: createRecordingLog(),
    dispatch: (event) =>
      event.kind === 'server-changed' &&
      event.server.kind === 'ready' &&
      told.push(event.server.freePieces ?? false),
  });
  const seen: boolean[] = [watch.offer().freePieces];
  for (let look = 0; look < 4; look++) {
    watch.look();
    await clock.advance(0);
    seen.push(watch.offer().freePieces);
  }
  expect(seen).toEqual([false, false, true, true, false]);
  expect(told).toEqual([false, true, false]);
});

test('one that is ready is looked at again only when that is asked for', async () => {
  const clock = createFakeClock();
  const languages: unknown[] = [];
  const answers = [READY, { ...READY, languages: ['sv', 'en'] }];
  const watch = createServerWatch({
    ...NOT_NEEDED,
    look: async () => ({ status: 200, body: answers.shift() }),
    clock,
    log: createRecordingLog(),
    dispatch: (event) =>
      event.kind === 'server-changed' &&
      event.server.kind === 'ready' &&
      languages.push(event.server.languages),
  });
  watch.ask();
  await clock.advance(60_000);
  watch.ask();
  await clock.advance(60_000);
  expect(languages).toEqual([['sv']]);
  watch.look();
  await clock.advance(0);
  expect(languages).toEqual([['sv'], ['sv', 'en']]);
  expect(clock.waits()).toEqual([]);
});
