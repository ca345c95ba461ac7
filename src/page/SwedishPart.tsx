import { type ComponentType, useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { Snapshot } from '../core/session/snapshot.ts';
import { useSnapshot } from '../widget/use-snapshot.ts';
import type { Settings, SettingsStore } from './settings.ts';
import type { SwedishPanelProps } from './swedish/SwedishPanel.tsx';

type SwedishPartProps = {
  readonly dictation: Dictation;
  readonly store: SettingsStore;
  readonly settings: Settings;
};

/** How to have Swedish, fetched when somebody wants it of a server that has none. */
export function SwedishPart({ dictation, store, settings }: SwedishPartProps) {
  const { language, interfaceLanguage } = settings;
  const isWanted = language === 'sv' || (language === '' && interfaceLanguage === 'sv');
  const isMissing = useSnapshot(dictation, lacksSwedish);
  const isNeeded = isWanted && isMissing;
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    if (!isNeeded) return;
    import('./swedish/SwedishPanel.tsx').then(
      ({ SwedishPanel }) => setLoaded({ Panel: SwedishPanel }),
      // Nothing is lost by it: the line about the server says how else.
      () => {},
    );
  }, [isNeeded]);
  if (loaded === null) return null;
  const props = { dictation, settings: store, language: interfaceLanguage, isWanted };
  return <loaded.Panel {...props} />;
}

type Loaded = { readonly Panel: ComponentType<SwedishPanelProps> };

/** Held back while somebody speaks: then the network is for what they say. */
function lacksSwedish({ server, session, queue }: Snapshot): boolean {
  if (server.kind !== 'ready' || session.phase !== 'idle') return false;
  const isRefused = queue.items.some(
    ({ state, options }) => state.kind === 'parked' && options.language === 'sv',
  );
  return isRefused || !server.engines.some(({ languages }) => languages.includes('sv'));
}
