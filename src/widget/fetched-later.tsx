import { type ComponentType, useEffect, useState } from 'react';
import { useStrings } from './strings.ts';

/** A component that is fetched: null while it is on its way, or not wanted. */
export type Fetched<Props> = ComponentType<Props> | 'failed' | null;

/** Fetches a component when it is first wanted, and once more for each new wish if that failed. */
export function useFetched<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
  /** Null for none. */
  wish: string | null,
): Fetched<Props> {
  const [fetched, setFetched] = useState<Fetched<Props>>(null);
  useEffect(() => {
    if (wish === null) return;
    fetch().then(
      (component) => setFetched(() => component),
      () => setFetched('failed'),
    );
  }, [fetch, wish]);
  return fetched;
}

/** Says that something did not work, as that a component can't be had. */
export function Failed() {
  return <p role="alert">{useStrings().dictations.failed}</p>;
}

/** A component whose script is fetched when it is first drawn; that it can't be had is said. */
export function fetchedLater<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function Later(props: Props) {
    const Component = useFetched(fetch, 'drawn');
    if (Component === 'failed') return <Failed />;
    return Component && <Component {...props} />;
  };
}
