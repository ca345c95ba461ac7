import { expect, test, vi } from 'vitest';
import type { Dictation, StartOptions } from '../../src/core/contracts/dictation.ts';
import { type DictationEvents, withEvents } from '../../src/dictation-events.ts';
import { createStillDictation } from '../../src/widget/still-dictation.ts';

function listenToAll(still = createStillDictation()) {
  const dictation = withEvents(still);
  const told: [string, unknown][] = [];
  const kinds = [
    'state',
    'speechstart',
    'speechend',
    'partial',
    'final',
    'delivered',
    'error',
  ] as const;
  const ends = kinds.map((kind: keyof DictationEvents) =>
    dictation.on(kind, (event) => told.push([kind, event])),
  );
  return { still, dictation, told, end: () => ends.forEach((each) => void each()) };
}

test('each change is told once, in its order, and nothing after the end', () => {
  const { still, told, end } = listenToAll();
  still.setSession({ id: 'a', phase: 'recording' });
  still.setSession({ isSpeaking: true });
  still.setSession({ levelDbfs: -20 });
  const live = { finalText: '', firm: 'ett', tentative: '' };
  still.setSession({ live });
  still.setSession({ isSpeaking: false, transcriptions: new Map([[0, 'ett']]) });
  still.setSession({
    transcriptions: new Map([
      [0, 'ett'],
      [1, 'två'],
    ]),
  });
  const notice = { kind: 'microphone-denied', error: null } as const;
  still.setNotices([notice]);
  still.setNotices([notice]);
  still.setNotices([]);
  still.setSession({ phase: 'stopped', live: null });
  expect(told).toEqual([
    ['state', 'recording'],
    ['speechstart', null],
    ['partial', live],
    ['speechend', null],
    ['final', { number: 0, text: 'ett' }],
    ['final', { number: 1, text: 'två' }],
    ['error', notice],
    ['state', 'stopped'],
    ['partial', null],
  ]);
  // Another recording begins its numbers anew.
  still.setSession({ id: 'b', transcriptions: new Map([[0, 'ett']]) });
  expect(told.at(-1)).toEqual(['final', { number: 0, text: 'ett' }]);
  const { length } = told;
  end();
  still.setSession({ phase: 'idle' });
  expect(told).toHaveLength(length);
});

test('what became of a text is told, delivered or given by the stop', async () => {
  const started: StartOptions[] = [];
  const still = createStillDictation();
  const result = { text: 'tre', failedChunks: 0, chunksToReview: 0 };
  const recording: Partial<Dictation> = {
    async start(options = {}) {
      started.push(options);
      return { ok: true };
    },
    stop: async () => result,
  };
  const { dictation, told } = listenToAll(Object.assign(still, recording));
  const never = new AbortController().signal;
  await dictation.start({ deliver: () => 'altered', deliverPiece: () => false, live: true });
  expect(started[0]?.live).toBe(true);
  expect(await started[0]?.deliver?.({ ...result, text: 'ett' }, never)).toBe('altered');
  expect(await started[0]?.deliverPiece?.('två', never, 0)).toBe(false);
  await dictation.stop();
  await dictation.start();
  expect(started[1]).toEqual({});
  await dictation.stop();
  expect(told).toEqual([
    ['delivered', { text: 'ett', verdict: 'altered' }],
    ['delivered', { text: 'två', verdict: false }],
    ['delivered', { text: 'tre', verdict: true }],
  ]);
});

test('a start that is refused meanwhile tells nothing twice, and hides nothing', async () => {
  const result = { text: 'tre', failedChunks: 0, chunksToReview: 0 };
  let given: StartOptions | null = null;
  const recording: Partial<Dictation> = {
    async start(options = {}) {
      if (given) return { ok: false, reason: 'already-recording' };
      given = options;
      return { ok: true };
    },
    async stop() {
      const { deliver } = given ?? {};
      given = null;
      await deliver?.(result, new AbortController().signal);
      return result;
    },
  };
  const { dictation, told } = listenToAll(Object.assign(createStillDictation(), recording));
  await dictation.start({ deliver: () => true });
  expect(await dictation.start()).toMatchObject({ ok: false });
  await dictation.stop();
  const delivered = ['delivered', { text: 'tre', verdict: true }];
  expect(told).toEqual([delivered]);
  await dictation.start();
  expect(await dictation.start({ deliver: () => true })).toMatchObject({ ok: false });
  await dictation.stop();
  expect(told).toEqual([delivered, delivered]);
});

test('a listener that throws is reported, and the others hear all the same', () => {
  const reported = vi.fn();
  vi.stubGlobal('reportError', reported);
  const still = createStillDictation();
  const dictation = withEvents(still);
  const broken = new Error('broken');
  dictation.on('state', () => {
    throw broken;
  });
  const heard = vi.fn();
  dictation.on('state', heard);
  still.setSession({ phase: 'recording' });
  expect(reported).toHaveBeenCalledWith(broken);
  expect(heard).toHaveBeenCalledWith('recording');
  vi.unstubAllGlobals();
});
