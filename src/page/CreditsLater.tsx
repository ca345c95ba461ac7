import { type ComponentType, useEffect, useState } from 'react';
import type { ModelCreditsProps } from './swedish/ModelCredits.tsx';

/** `ModelCredits`, its script fetched with the options. */
export function CreditsLater(props: ModelCreditsProps) {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    import('./swedish/ModelCredits.tsx').then(
      ({ ModelCredits }) => setLoaded({ Credits: ModelCredits }),
      () => {},
    );
  }, []);
  return loaded && <loaded.Credits {...props} />;
}

type Loaded = { readonly Credits: ComponentType<ModelCreditsProps> };
