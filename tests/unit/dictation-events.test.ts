import { expect, test, vi } from 'vitest';
import type {
  Dictation,
  DictationResult,
  StartOptions,
} from '../../src/core/contracts/dictation.ts';
import { DikteraError, type ErrorCode, toErrorInfo } from '../../src/core/errors.ts';
import { IDLE_SESSION, type Notice } from '../../src/core/session/snapshot.ts';
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
    ['error', { ...notice, code: 'microphone-denied', message: 'microphone denied' }],
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

test('an end of speech is told before the recording is over, and a beginning after it has begun', () => {
  const { still, told } = listenToAll();
  still.setSession({ id: 'a', phase: 'recording', isSpeaking: true });
  // Cancelled in the middle of a word.
  still.set({ session: IDLE_SESSION });
  still.setSession({ id: 'b', phase: 'recording', isSpeaking: true });
  still.setSession({ id: 'c', phase: 'starting', isSpeaking: true });
  expect(told.map(([kind, event]) => event ?? kind)).toEqual([
    'recording',
    'speechstart',
    'speechend',
    'idle',
    'recording',
    'speechstart',
    'speechend',
    'starting',
    'speechstart',
  ]);
});

test('an error has its code, its message and what was thrown, and is told again with another code', () => {
  const { still, told } = listenToAll();
  const denied = new DOMException('Permission denied', 'NotAllowedError');
  const error = toErrorInfo(
    new DikteraError('microphone-denied', 'Not allowed', { cause: denied }),
    'microphone-failed',
  );
  still.setNotices([{ kind: 'microphone-denied', error }]);
  const cause = 'NotAllowedError: Permission denied';
  expect(told).toEqual([
    [
      'error',
      {
        kind: 'microphone-denied',
        error,
        code: 'microphone-denied',
        message: 'Not allowed',
        cause,
      },
    ],
  ]);
  const failed = (code: ErrorCode): Notice => ({
    kind: 'upload-failed',
    error: { code, message: `POST: ${code}` },
  });
  still.setNotices([failed('http-network')]);
  still.setNotices([failed('http-network')]);
  still.setNotices([failed('http-status')]);
  expect(told.slice(1).map(([, event]) => event)).toEqual([
    expect.objectContaining({ code: 'http-network', message: 'POST: http-network' }),
    expect.objectContaining({ code: 'http-status', message: 'POST: http-status' }),
  ]);
});

test('a delivery that throws is told of as refused, and one that is taken back as none', async () => {
  let given: StartOptions = {};
  const recording: Partial<Dictation> = {
    async start(options = {}) {
      given = options;
      return { ok: true };
    },
  };
  const { dictation, told } = listenToAll(Object.assign(createStillDictation(), recording));
  const result = { text: 'ett', failedChunks: 0, chunksToReview: 0 };
  const never = new AbortController().signal;
  await dictation.start({
    deliver() {
      throw new Error("the page's own");
    },
    deliverPiece: () => true,
  });
  await expect(given.deliver?.(result, never)).rejects.toThrow("the page's own");
  await given.deliverPiece?.('', never, 1);
  expect(told).toEqual([['delivered', { text: 'ett', verdict: false }]]);
});

test('a text that waited is told of when it is taken', async () => {
  const still = createStillDictation();
  const taking: Partial<Dictation> = {
    takeText: (_, insert) => insert('sent', new AbortController().signal),
  };
  const { dictation, told } = listenToAll(Object.assign(still, taking));
  expect(await dictation.takeText('a', async () => true)).toBe(true);
  expect(told).toEqual([['delivered', { text: 'sent', verdict: true }]]);
});

test('two stops of one recording tell of its text once, and of one that is late not at all', async () => {
  const result = { text: 'ett', failedChunks: 0, chunksToReview: 0 };
  const stops: DictationResult[] = [result, result, { ...result, text: '', failedChunks: 1 }];
  const recording: Partial<Dictation> = {
    start: async () => ({ ok: true }),
    stop: async () => stops.shift() ?? null,
  };
  const { dictation, told } = listenToAll(Object.assign(createStillDictation(), recording));
  await dictation.start();
  await Promise.all([dictation.stop(), dictation.stop()]);
  await dictation.start();
  await dictation.stop();
  expect(told).toEqual([['delivered', { text: 'ett', verdict: true }]]);
});

test('an event that is none is an error in the console', () => {
  const complained = vi.spyOn(console, 'error').mockReturnValue();
  withEvents(createStillDictation()).on('speachstart' as 'speechstart', () => {});
  expect(complained).toHaveBeenCalledWith(expect.stringContaining('speachstart. There are state'));
  complained.mockRestore();
});
