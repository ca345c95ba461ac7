import { describe, expect, it } from 'vitest';
import type { ErrorInfo } from '../../src/core/errors.ts';
import type { QueueItemHead, QueueItemState } from '../../src/core/queue/queue-item.ts';
import { SWEDISH } from '../../src/widget/strings-sv.ts';
import { waitingDictations } from '../../src/widget/waiting-dictations.ts';
import { lengthText, waitingStateText } from '../../src/widget/waiting-state-text.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const NOW_MS = 1_000_000;
const NETWORK = { code: 'http-network', message: 'refused' } as const;
const SERVER = { code: 'http-status', message: '500' } as const;

function item(sessionId: string, number: number, state: QueueItemState): QueueItemHead {
  return makeQueueItem({ sessionId, number, state });
}

const text = (words: string): QueueItemState => ({ kind: 'transcribed', text: words, doubt: null });
const waits = (lastError: ErrorInfo | null, inMs = 0): QueueItemState => ({
  kind: 'waiting',
  nextAttemptAtMs: NOW_MS + inMs,
  lastError,
});

function stateWords(items: readonly QueueItemHead[], isUnauthorised = false): string {
  const [waiting] = waitingDictations(items, [], isUnauthorised);
  return waiting ? waitingStateText(waiting, NOW_MS, SWEDISH.waiting) : '';
}

describe('waiting dictations', () => {
  it('are one for each recording, with what text there is, in order', () => {
    const rows = waitingDictations(
      [
        item('a', 0, text('ett')),
        item('a', 1, text(' ')),
        item('a', 2, text('två')),
        item('b', 0, waits(null)),
      ],
      [],
      false,
    );
    expect(rows.map(({ sessionId, text: words }) => [sessionId, words])).toEqual([
      ['a', 'ett\ntvå'],
      ['b', ''],
    ]);
    expect(rows[0]?.state.kind).toBe('transcribed');
  });

  it('are of what could not be encoded too, alone or beside what could', () => {
    const kept = (sessionId: string) => ({
      sessionId,
      startedAtMs: 1,
      durationSamples: 32_000,
      error: { code: 'encoding-failed', message: 'no memory' } as const,
    });
    const rows = waitingDictations([item('a', 0, text('ett'))], [kept('a'), kept('c')], false);
    expect(rows.map((row) => [row.sessionId, row.text, row.lengthMs, row.state.kind])).toEqual([
      ['a', 'ett', 3_000, 'kept'],
      ['c', '', 2_000, 'kept'],
    ]);
    const [first] = rows;
    expect(first && waitingStateText(first, NOW_MS, SWEDISH.waiting)).toBe(
      'Kunde inte göras klart att skickas',
    );
  });

  it('of live pieces run on, as they do in the field', () => {
    const live = [item('a', 0, text('ett')), item('a', 1, text('två'))];
    const [row] = waitingDictations(
      live.map((head) => ({ ...head, isLive: true })),
      [],
      false,
    );
    expect(row?.text).toBe('ett två');
  });

  it('can be inserted as far as nothing that is still to come belongs before it', () => {
    const parked: QueueItemState = { kind: 'parked', error: SERVER };
    const doubted: QueueItemState = { kind: 'doubted', why: 'incomplete', text: 'två' };
    const isInsertable = (...states: readonly QueueItemState[]) =>
      waitingDictations(
        states.map((state, number) => item('a', number, state)),
        [],
        false,
      )[0]?.isInsertable;
    expect(isInsertable(text('ett'), waits(null))).toBe(true);
    expect(isInsertable(waits(null), text('två'))).toBe(false);
    expect(isInsertable({ kind: 'sending' }, text('två'))).toBe(false);
    expect(isInsertable(parked, text('två')), 'that may never come').toBe(true);
    expect(isInsertable(doubted, waits(null)), 'that is in already').toBe(false);
    expect(isInsertable(doubted)).toBe(true);
    expect(isInsertable(text(' '))).toBe(false);
  });

  it('say where they stand', () => {
    expect(stateWords([item('a', 0, waits(null))])).toBe('Väntar på att skickas');
    expect(stateWords([item('a', 0, waits(NETWORK, 119_000))])).toBe(
      'Väntar på nätet, nytt försök om 2 min',
    );
    expect(stateWords([item('a', 0, waits(SERVER, 20_400))])).toBe(
      'Servern svarade inte som den ska, nytt försök om 21 s',
    );
    const preparing = { ...SERVER, share: 0.426 };
    expect(stateWords([item('a', 0, waits(preparing, 9_000))])).toBe(
      'Väntar på att språket görs i ordning, 42 % klart',
    );
    expect(stateWords([item('a', 0, waits(NETWORK, -5))])).toBe('Väntar på nätet, nytt försök nu');
    expect(stateWords([item('a', 0, waits(SERVER, 9_000))], true)).toBe(
      'Servern kräver inloggning',
    );
    expect(stateWords([item('a', 0, text('x')), item('a', 1, { kind: 'sending' })])).toBe(
      'Skickas, 1 av 2 delar är text',
    );
    expect(stateWords([item('a', 0, { kind: 'parked', error: SERVER })])).toBe(
      'Servern tar inte emot ljudet',
    );
    const missing = { code: 'language-missing', message: '422' } as const;
    expect(stateWords([item('a', 0, { kind: 'parked', error: missing })])).toBe(
      'Väntar på ett språk som servern inte har',
    );
  });

  it('say how long somebody spoke', () => {
    expect(lengthText(400, SWEDISH.waiting)).toBe('1 s tal');
    expect(lengthText(59_000, SWEDISH.waiting)).toBe('59 s tal');
    expect(lengthText(150_000, SWEDISH.waiting)).toBe('3 min tal');
  });
});
