import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { useStrings } from './strings.tsx';

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
export function useFetched<Props extends object>(
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
