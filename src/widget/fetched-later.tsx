import { type ComponentType, useEffect, useState } from 'react';
import { useStrings } from './strings.ts';

/** A component whose script is fetched when it is first drawn; that it can't be had is said. */
export function fetchedLater<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function Later(props: Props) {
    const { failed } = useStrings().waiting;
    const [Fetched, setFetched] = useState<ComponentType<Props> | 'failed' | null>(null);
    useEffect(() => {
      fetch().then(
        (component) => setFetched(() => component),
        () => setFetched('failed'),
      );
    }, []);
    if (Fetched === 'failed') return <p role="alert">{failed}</p>;
    return Fetched && <Fetched {...props} />;
  };
}
