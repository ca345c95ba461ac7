import { createHash, randomUUID } from 'node:crypto';
import { sleep } from '../../src/core/async.ts';
import type { Clock } from '../../src/core/clock.ts';
import { ApiError, clientClosed } from '../core/api-error.ts';
import { type AnswerMemory, idempotencyKeyReused } from './answer-memory.ts';

/** Where several servers keep what they have begun and answered. Every call may reject. */
export type AnswerStore = {
  /** Writes `value` unless the key has one, for `ttlMs`; says whether it did. */
  claim(key: string, value: string, ttlMs: number): Promise<boolean>;
  read(key: string): Promise<string | null>;
  /** Keeps `expected` for `ttlMs` more, if that is still the key's value; says whether it is. */
  renew(key: string, expected: string, ttlMs: number): Promise<boolean>;
  /**
   * Puts `value` in place of `expected` for `ttlMs`, and says whether `expected` was still there.
   */
  replace(key: string, expected: string, value: string, ttlMs: number): Promise<boolean>;
  /** Takes the key away if its value is still `expected`. */
  forget(key: string, expected: string): Promise<void>;
  close(): Promise<void>;
};

/** The parts that the shared memory works with. */
type SharedAnswersPorts<T> = {
  readonly store: AnswerStore;
  /** This process's own; callers of one server meet there first. */
  readonly local: AnswerMemory<T>;
  readonly clock: Clock;
  /** The time an answer is remembered, in ms. */
  readonly keptMs: number;
  readonly isAnswer: (value: unknown) => value is T;
  /** Called when the store held a value that no server of ours writes; it has been deleted. */
  readonly onBadValue: () => void;
  /** Called when the store cannot be used; the request is then worked on without it. */
  readonly onStoreFailure: (error: unknown) => void;
};

/** A server that dies leaves its claims for this long. */
const CLAIM_MS = 15_000;
const RENEW_MS = 5_000;
const LOOK_AGAIN_MS = 200;
/** A client waits for two minutes; whoever waits longer for another server waits for nothing. */
const WAIT_MS = 110_000;
/** A claim runs out once and a bad value is deleted once; a store that goes on so is of no use. */
const MAX_ODD_LOOKS = 3;

type Stored<T> =
  | { readonly state: 'running'; readonly fingerprint: string; readonly owner: string }
  | { readonly state: 'done'; readonly fingerprint: string; readonly answer: T };

type Sight<T> =
  | { readonly kind: 'mine' }
  | { readonly kind: 'running' }
  /** The key is taken, and by nothing or by what no server of ours wrote. */
  | { readonly kind: 'odd' }
  | { readonly kind: 'done'; readonly answer: T }
  | { readonly kind: 'store-failed' };

/**
 * Idempotency across servers. Whoever claims a key first does the work and renews its claim; the
 * others wait for the answer, or take over when the claim runs out. Without the store each server
 * remembers for itself, as it would alone.
 */
export function createSharedAnswers<T>(ports: SharedAnswersPorts<T>): AnswerMemory<T> {
  const { store, local, clock, keptMs, isAnswer, onStoreFailure, onBadValue } = ports;
  const owner = randomUUID();

  /** Null when the store cannot be used. */
  async function asked<R>(ask: () => Promise<R>): Promise<{ readonly value: R } | null> {
    try {
      return { value: await ask() };
    } catch (error) {
      onStoreFailure(error);
      return null;
    }
  }

  function keepClaim(key: string, claim: string): () => void {
    let isOver = false;
    let cancel = () => {};
    const renew = () => {
      cancel = clock.after(RENEW_MS, async () => {
        const renewed = await asked(() => store.renew(key, claim, CLAIM_MS));
        // Lost to another server, which works on it too by now: nothing of it is ours to keep.
        if (!isOver && renewed?.value !== false) renew();
      });
    };
    renew();
    return () => {
      isOver = true;
      cancel();
    };
  }

  async function work(key: string, begin: () => Promise<T>, fingerprint: string, claim: string) {
    const stopRenewing = keepClaim(key, claim);
    try {
      const answer = await begin();
      stopRenewing();
      const done: Stored<T> = { state: 'done', fingerprint, answer };
      await asked(() => store.replace(key, claim, JSON.stringify(done), keptMs));
      return answer;
    } catch (error) {
      stopRenewing();
      await asked(() => store.forget(key, claim));
      throw error;
    }
  }

  /** The state of the key now; the first to ask has claimed it. */
  async function look(key: string, fingerprint: string, claim: string): Promise<Sight<T>> {
    const claimed = await asked(() => store.claim(key, claim, CLAIM_MS));
    if (claimed === null) return { kind: 'store-failed' };
    if (claimed.value) return { kind: 'mine' };
    const text = await asked(() => store.read(key));
    if (text === null) return { kind: 'store-failed' };
    // The claim that was there has just run out.
    if (text.value === null) return { kind: 'odd' };
    const stored = parseStored(text.value, isAnswer);
    if (stored === null) {
      await asked(() => store.forget(key, text.value ?? ''));
      onBadValue();
      return { kind: 'odd' };
    }
    if (stored.fingerprint !== fingerprint) throw idempotencyKeyReused();
    return stored.state === 'done' ? { kind: 'done', answer: stored.answer } : { kind: 'running' };
  }

  async function answerOfAll(
    key: string,
    fingerprint: string,
    signal: AbortSignal,
    begin: () => Promise<T>,
  ): Promise<T> {
    const running: Stored<T> = { state: 'running', fingerprint, owner };
    const claim = JSON.stringify(running);
    let oddLooks = 0;
    for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += LOOK_AGAIN_MS) {
      const sight = await look(key, fingerprint, claim);
      if (sight.kind === 'odd') oddLooks++;
      if (sight.kind === 'store-failed' || oddLooks > MAX_ODD_LOOKS) return begin();
      if (sight.kind === 'mine') return work(key, begin, fingerprint, claim);
      if (sight.kind === 'done') return sight.answer;
      await sleep(clock, LOOK_AGAIN_MS);
      if (signal.aborted) throw clientClosed();
    }
    const message = 'Another server still works on this request; try again shortly.';
    throw new ApiError(503, 'engine_busy', message, { retryAfterS: 5 });
  }

  return {
    answer: (key, fingerprint, signal, begin) =>
      local.answer(key, fingerprint, signal, (workSignal) =>
        answerOfAll(storeKey(key), fingerprint, workSignal, () => begin(workSignal)),
      ),
    settled: local.settled,
  };
}

/** A store key of fixed length, without anything that a client wrote. */
function storeKey(key: string): string {
  return `diktera:answer:${createHash('sha256').update(key).digest('base64url')}`;
}

/**
 * The value if a server of ours wrote it, else null. Errors quote nothing of the value: it may hold speech.
 */
function parseStored<T>(text: string, isAnswer: (value: unknown) => value is T): Stored<T> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { state, fingerprint, owner, answer } = Object(value) as Record<string, unknown>;
  if (typeof fingerprint !== 'string') return null;
  if (state === 'running' && typeof owner === 'string') return { state, fingerprint, owner };
  return state === 'done' && isAnswer(answer) ? { state, fingerprint, answer } : null;
}
