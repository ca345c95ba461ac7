import { type ComponentType, useEffect, useState } from 'react';
import type { RecentDictationsProps } from './RecentDictations.tsx';
import { useStrings } from './strings.ts';

/** `RecentDictations`, its script fetched when it is first wanted. */
export function RecentLater(props: RecentDictationsProps) {
  const { failed } = useStrings().waiting;
  const [loaded, setLoaded] = useState<Loaded | 'failed' | null>(null);
  useEffect(() => {
    import('./RecentDictations.tsx').then(
      ({ RecentDictations }) => setLoaded({ List: RecentDictations }),
      () => setLoaded('failed'),
    );
  }, []);
  if (loaded === null) return null;
  if (loaded === 'failed') return <p role="alert">{failed}</p>;
  return <loaded.List {...props} />;
}

type Loaded = { readonly List: ComponentType<RecentDictationsProps> };
