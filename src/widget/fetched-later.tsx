import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { isForReview } from '../core/queue/queue-item.ts';
import type { Snapshot } from '../core/session/snapshot.ts';
import { lateItems, lateKept } from '../core/session/text-state.ts';
import type { DictationListProps } from './DictationList.tsx';
import { useSnapshot } from './hooks.ts';
import { useStrings } from './strings.tsx';
import type { Strings } from './strings-sv.ts';

/** A component that is fetched: null while it is on its way, or not wanted. */
export type Fetched<Props> = ComponentType<Props> | 'failed' | null;

/** Pause before the second try; each next one is twice as long, up to the longest. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Fetches what comes later, again and again until it is there: a server or a network is gone for a
 * moment, and browsers ask anew for a script that failed. The answer ends it.
 */
export function keepFetching<Value>(
  fetch: () => Promise<Value>,
  give: (value: Value) => void,
  fail: (reason: unknown) => void,
): () => void {
  let isOver = false;
  const attempt = (pauseMs: number): void => {
    if (isOver) return;
    fetch().then(give, (reason: unknown) => {
      fail(reason);
      setTimeout(attempt, pauseMs, Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
    });
  };
  attempt(FIRST_PAUSE_MS);
  return () => {
    isOver = true;
  };
}

/** A component from when it is first wanted, and has come. */
function useFetched<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
  isWanted: boolean,
): Fetched<Props> {
  const [fetched, setFetched] = useState<Fetched<Props>>(null);
  useEffect(() => {
    if (!isWanted) return;
    return keepFetching(
      fetch,
      (component) => setFetched(() => component),
      () => setFetched('failed'),
    );
  }, [fetch, isWanted]);
  return fetched;
}

/** Says that something did not work. */
export function Failed() {
  return <p role="alert">{useStrings().dictations.failed}</p>;
}

/**
 * A component whose script is fetched when it is first drawn; shows an error if that fails, unless
 * it can be done without: then `instead`, which is drawn until it has come, too.
 */
export function fetchedLater<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
  instead?: (props: Props) => ReactNode,
): ComponentType<Props> {
  return function Later(props: Props) {
    const Component = useFetched(fetch, true);
    if (Component === 'failed' && !instead) return <Failed />;
    if (Component === null || Component === 'failed') return instead?.(props);
    return <Component {...props} />;
  };
}

/** The first frames have been judged by then. */
const HEARD_AFTER_MS = 500;

const fetchList = async () => (await import('./DictationList.tsx')).DictationList;

/**
 * `DictationList`, its script fetched when it is opened, when something may wait, when somebody has
 * begun to speak (there may be no network when something waits) or after `restMs`; null before.
 */
export function useDictationList(
  dictation: Dictation,
  isOpen: boolean,
  restMs: number | null,
): Fetched<DictationListProps> {
  const { waiting, needsReview } = useWaitingCount(dictation);
  const isRecording = useSnapshot(dictation, ({ session }) => session.phase === 'recording');
  const [isWanted, setIsWanted] = useState(false);
  const calmMs = isRecording ? HEARD_AFTER_MS : restMs;
  const delayMs = waiting + needsReview > 0 ? 0 : calmMs;
  useEffect(() => {
    if (delayMs === null) return;
    const timer = setTimeout(() => setIsWanted(true), delayMs);
    return () => clearTimeout(timer);
  }, [delayMs]);
  return useFetched(fetchList, isWanted || isOpen);
}

/** Counts of dictations that are not delivered, and of delivered ones that need review. */
export type WaitingCount = { readonly waiting: number; readonly needsReview: number };

/** Counts them, each once. */
function countWaiting(snapshot: Snapshot): WaitingCount {
  const late = lateItems(snapshot);
  const idsOf = (of: readonly { readonly dictationId: string }[]) =>
    new Set(of.map(({ dictationId }) => dictationId));
  const all = idsOf([...late, ...lateKept(snapshot)]);
  const waiting = idsOf([
    ...late.filter(({ state }) => !isForReview(state)),
    ...lateKept(snapshot),
  ]);
  return { waiting: waiting.size, needsReview: all.size - waiting.size };
}

export function useWaitingCount(dictation: Dictation): WaitingCount {
  const waiting = useSnapshot(dictation, (snapshot) => countWaiting(snapshot).waiting);
  const needsReview = useSnapshot(dictation, (snapshot) => countWaiting(snapshot).needsReview);
  return { waiting, needsReview };
}

/** The counts in words: "2 väntar · 1 att granska". */
export function countText(
  { waiting, needsReview }: WaitingCount,
  strings: Strings['dictations'],
): string {
  const said: string[] = [];
  if (waiting > 0) said.push(strings.badge(waiting));
  if (needsReview > 0) said.push(strings.reviewBadge(needsReview));
  return said.join(' · ');
}
