import { describe, expect, it, test } from 'vitest';
import type { ErrorInfo } from '../../src/core/errors.ts';
import type { ChunkState, QueueItemHead } from '../../src/core/queue/queue-item.ts';
import type { Recording } from '../../src/core/recordings/recording.ts';
import {
  type DictationAction,
  type DictationSources,
  dictationsOf,
  removalOf,
} from '../../src/core/session/dictations.ts';
import { INITIAL_SNAPSHOT, type KeptRecording } from '../../src/core/session/snapshot.ts';
import { stateText } from '../../src/widget/dictation-words.ts';
import { SWEDISH_LIST } from '../../src/widget/list-strings-sv.ts';
import { madeRecording, madeRecordings } from '../catalogue/states.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const NOW_MS = 1_000_000;
const NETWORK = { code: 'http-network', message: 'refused' } as const;
const SERVER = { code: 'http-status', message: '500' } as const;
const MISSING = { code: 'language-missing', message: '422' } as const;

const item = (dictationId: string, number: number, state: ChunkState): QueueItemHead =>
  makeQueueItem({ dictationId, number, state });
const text = (words: string): ChunkState => ({ kind: 'answered', text: words, needsReview: null });
const waits = (lastError: ErrorInfo | null, inMs = 0): ChunkState => ({
  kind: 'pending',
  nextAttemptAtMs: NOW_MS + inMs,
  lastError,
});
const refused = (error: ErrorInfo): ChunkState => ({ kind: 'refused', error });
const doubted = (words: string): ChunkState => ({
  kind: 'delivered',
  hasAudio: true,
  needsReview: 'incomplete',
  text: words,
});
const SENDING: ChunkState = { kind: 'pending', isSending: true };
const keptOf = (dictationId: string): KeptRecording => ({
  dictationId,
  startedAtMs: 1,
  durationSamples: 32_000,
  error: { code: 'encoding-failed', message: 'no memory' },
});

type Given = {
  readonly items?: readonly QueueItemHead[];
  readonly kept?: readonly KeptRecording[];
  readonly recordings?: readonly Recording[];
  readonly running?: string;
  readonly awaited?: readonly string[];
  readonly isUnauthorised?: boolean;
};

function sources(given: Given): DictationSources {
  const { items = [], kept = [], recordings = [], awaited = [], isUnauthorised = false } = given;
  return {
    queue: { ...INITIAL_SNAPSHOT.queue, items, isUnauthorised },
    kept,
    awaited,
    cancelled: null,
    recordings: madeRecordings(recordings),
    session: { id: given.running ?? null },
  };
}
const listed = (given: Given) => dictationsOf(sources(given));
const standing = (given: Given) => listed(given).map(({ id, state }) => [id, state.kind]);

describe('the list', () => {
  it('has one entry for each, with what text there is, in order', () => {
    const rows = listed({
      items: [
        item('a', 0, text('ett')),
        item('a', 1, text(' ')),
        item('a', 2, text('två')),
        item('b', 0, waits(null)),
      ],
    });
    expect(rows.map(({ id, text: words, lengthMs }) => [id, words, lengthMs])).toEqual([
      ['a', 'ett\ntvå', 3_000],
      ['b', '', 1_000],
    ]);
  });

  it('has what waits and is recorded too once, with the whole sound and what both can', () => {
    const recording = madeRecording({ id: 'a', state: { kind: 'waiting' }, firstWords: '' });
    const [row, ...others] = listed({
      items: [item('a', 0, waits(NETWORK, 9_000))],
      recordings: [recording],
    });
    expect(others).toEqual([]);
    expect(row).toMatchObject({ id: 'a', isWaiting: true, lengthMs: 200_000, recording });
    expect([...(row?.can ?? [])].sort()).toEqual(['again', 'delete', 'play', 'save', 'try']);
  });

  it('begins with those that wait, oldest first, as they will go in; then the newest first', () => {
    const at = (id: string, startedAtMs: number, waiting = false) =>
      madeRecording({ id, startedAtMs, state: { kind: waiting ? 'waiting' : 'delivered' } });
    expect(
      standing({
        items: [item('w2', 0, text('två')), item('w1', 0, waits(NETWORK))],
        recordings: [at('r4', 40), at('w2', 30, true), at('r2', 20), at('w1', 10, true)],
      }),
    ).toEqual([
      ['w1', 'network'],
      ['w2', 'ready'],
      ['r4', 'delivered'],
      ['r2', 'delivered'],
    ]);
  });

  it('leaves out what this page records, and what is on its ordinary way to its place', () => {
    const recordings = [
      madeRecording({ id: 'now', state: { kind: 'recording' } }),
      madeRecording({ id: 'before', state: { kind: 'waiting' } }),
      madeRecording({ id: 'silent', transcripts: 0, firstWords: '' }),
      madeRecording({ id: 'in' }),
    ];
    const items = [item('now', 0, SENDING), item('before', 0, text('nyss'))];
    const awaited = ['now', 'before', 'silent', 'in'];
    expect(standing({ items, recordings, awaited, running: 'now' })).toEqual([['in', 'delivered']]);
    expect(standing({ items, recordings, awaited: ['now'], running: 'now' })).toEqual([
      ['before', 'ready'],
      ['silent', 'delivered'],
      ['in', 'delivered'],
    ]);
    const failed = [item('now', 0, waits(NETWORK)), item('before', 0, refused(SERVER))];
    expect(standing({ items: failed, recordings, awaited, running: 'now' })).toEqual([
      ['now', 'network'],
      ['before', 'refused'],
      ['in', 'delivered'],
    ]);
  });

  it('has what could not be encoded, alone or beside what could', () => {
    const rows = listed({ items: [item('a', 0, text('ett'))], kept: [keptOf('a'), keptOf('c')] });
    expect(rows.map((row) => [row.id, row.text, row.lengthMs, row.state.kind])).toEqual([
      ['a', 'ett', 3_000, 'unencoded'],
      ['c', '', 2_000, 'unencoded'],
    ]);
  });

  it('joins live pieces as they run on in the field', () => {
    const live = [item('a', 0, text('ett')), item('a', 1, text('två'))];
    const [row] = listed({ items: live.map((head) => ({ ...head, isLive: true })) });
    expect(row?.text).toBe('ett två');
  });
});

test.each<[string, readonly ChunkState[], string, boolean?]>([
  ['to be sent', [waits(null)], 'waiting null Väntar på att skickas'],
  [
    'no network',
    [waits(NETWORK, 119_000)],
    'network try Servern svarar inte, nytt försök om 2 min',
  ],
  [
    'an answer that is none',
    [waits(SERVER, 20_400)],
    'server try Servern svarade inte som den ska, nytt försök om 21 s',
  ],
  [
    'a language being made ready',
    [waits({ ...SERVER, share: 0.426 }, 9_000)],
    'preparing null Väntar på att språket görs i ordning, 42 % klart',
  ],
  ['a try that is due', [waits(NETWORK, -5)], 'network try Servern svarar inte, nytt försök nu'],
  ['to sign in', [waits(SERVER, 9_000)], 'unauthorised try Väntar på att du loggar in', true],
  ['in part', [text('x'), SENDING], 'writing null Blir text, 50 % är text'],
  ['refused', [refused(SERVER)], 'refused try Servern tar inte emot ljudet'],
  ['no language', [refused(MISSING)], 'language try Väntar på ett språk som servern inte har'],
  ['ready', [text('x')], 'ready insert Inte infogad än'],
  ['to review', [doubted('x')], 'needs-review try Att granska'],
  ['to review, and to be inserted', [doubted('x'), text('y')], 'ready insert Inte infogad än'],
  [
    'changed by the page',
    [{ kind: 'delivered', hasAudio: true, needsReview: 'altered', text: 'x' }],
    'needs-review insert Att granska',
  ],
])('what waits: %s', (_name, states, expected, isUnauthorised = false) => {
  const items = states.map((state, number) => item('a', number, state));
  const [row] = listed({ items, isUnauthorised });
  const { beside } = stateText(row!, NOW_MS, SWEDISH_LIST);
  expect(`${row?.state.kind} ${row?.likely} ${beside}`).toBe(expected);
});

test('what waits can be inserted as far as nothing that is still to come belongs before it', () => {
  const isInsertable = (...states: readonly ChunkState[]) =>
    listed({ items: states.map((state, number) => item('a', number, state)) })[0]?.can.has(
      'insert',
    );
  expect(isInsertable(text('ett'), waits(null))).toBe(true);
  expect(isInsertable(waits(null), text('två'))).toBe(false);
  expect(isInsertable(SENDING, text('två'))).toBe(false);
  expect(isInsertable(refused(SERVER), text('två')), 'that may never come').toBe(true);
  expect(isInsertable(doubted('två'), waits(null)), 'that is in already').toBe(false);
  expect(isInsertable(doubted('två'))).toBe(true);
  expect(isInsertable(text(' '))).toBe(false);
});

const REWRITING = {
  askedAtMs: 0,
  options: madeRecording({ id: '' }).options,
  error: null,
  isRefused: false,
};
const ALL: readonly DictationAction[] = ['again', 'copy', 'delete', 'insert', 'play', 'save'];

test.each<[string, Partial<Recording>, string, readonly DictationAction[]]>([
  ['delivered', {}, 'delivered insert Inga ord hördes|', ALL],
  [
    'without a word',
    { firstWords: '' },
    'delivered null Inga ord hördes|',
    ['again', 'delete', 'play', 'save'],
  ],
  [
    'without its sound',
    { durationSamples: 0, needsReview: 'empty' },
    'needs-review insert Inga ord hördes|Ljudet kunde inte sparas',
    ['copy', 'delete', 'insert'],
  ],
  ['to review', { needsReview: 'incomplete' }, 'needs-review again Inga ord hördes|', ALL],
  [
    'recorded in another tab',
    { state: { kind: 'recording' } },
    'recording null Spelas in i en annan flik|Spelas in i en annan flik',
    [],
  ],
  [
    'with another page',
    { state: { kind: 'waiting' }, firstWords: '' },
    'writing null Blir text|Blir text',
    ['again', 'delete', 'play', 'save'],
  ],
  [
    'being written again',
    { rewriting: REWRITING, needsReview: 'empty' },
    'rewriting insert Görs om till text|Görs om till text',
    ALL,
  ],
  [
    'the same, later',
    { rewriting: { ...REWRITING, error: NETWORK } },
    'rewriting insert Görs om till text. Servern svarar inte|Görs om till text. Servern svarar inte',
    ALL,
  ],
  [
    'the same, refused',
    { rewriting: { ...REWRITING, error: SERVER, isRefused: true } },
    'refused again Inga ord hördes|',
    ALL,
  ],
  ['in the bin', { state: { kind: 'in-bin' } }, 'in-bin null |', ['undo']],
])('what was dictated: %s', (_name, change, expected, can) => {
  const [row] = listed({ recordings: [madeRecording({ id: 'a', ...change })] });
  const { alone, beside } = stateText(row!, NOW_MS, SWEDISH_LIST);
  expect(`${row?.state.kind} ${row?.likely} ${alone}|${beside}`).toBe(expected);
  expect([...(row?.can ?? [])].sort()).toEqual(can);
  expect(row?.isWaiting).toBe(false);
});

test('what deleting everything takes, also what is on its way, and whether it can be had back', () => {
  const recordings = [
    madeRecording({ id: 'now', state: { kind: 'recording' } }),
    madeRecording({ id: 'a', state: { kind: 'waiting' } }),
    madeRecording({ id: 'b' }),
    madeRecording({ id: 'gone', state: { kind: 'in-bin' } }),
  ];
  const items = [item('a', 0, SENDING)];
  const given = { recordings, items, awaited: ['a'] };
  expect(removalOf(sources(given))).toEqual({
    count: 2,
    lengthMs: 400_000,
    bytes: 1_600_000,
    waiting: 1,
    isUndoable: true,
  });
  const more = [...items, item('unrecorded', 0, text('klar'))];
  expect(removalOf(sources({ ...given, items: more }))).toMatchObject({
    count: 3,
    waiting: 1,
    isUndoable: false,
  });
});
