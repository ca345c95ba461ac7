import { type ComponentType, useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { Snapshot } from '../core/session/snapshot.ts';
import { isSame, languagesOf, spokenLanguage } from '../core/session/spoken-language.ts';
import { useSnapshot } from '../widget/use-snapshot.ts';
import { likelyLanguages } from './page-languages.ts';
import type { Settings, SettingsStore } from './settings.ts';
import type { SwedishPanelProps } from './swedish/SwedishPanel.tsx';
import { useServer } from './use-server.ts';

type SwedishPartProps = {
  readonly dictation: Dictation;
  readonly store: SettingsStore;
  readonly settings: Settings;
};

/**
 * Says, before anybody speaks, that the server lacks the language that will be spoken, and offers
 * Swedish where nobody chose another. What says it is fetched when it is needed.
 */
export function SwedishPart({ dictation, store, settings }: SwedishPartProps) {
  const { language, interfaceLanguage } = settings;
  const server = useServer(dictation);
  const isSpoken = useSnapshot(dictation, ({ session }) => session.phase !== 'idle');
  const isRefused = useSnapshot(dictation, refusesSwedish);
  const spoken = spokenLanguage({ language, likelyLanguages: likelyLanguages() }, server);
  const missing = spoken?.isMissing ? spoken.language : null;
  const isWanted = language === 'sv' || (language === '' && interfaceLanguage === 'sv');
  const lacksSwedish = server.kind === 'ready' && !languagesOf(server).some(isSwedish);
  // Held back while somebody speaks: then the network is for what they say.
  const isNeeded = !isSpoken && (missing !== null || (isWanted && (lacksSwedish || isRefused)));
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
  return (
    <loaded.Panel
      dictation={dictation}
      settings={store}
      language={interfaceLanguage}
      isWanted={isWanted}
      missing={missing}
    />
  );
}

type Loaded = { readonly Panel: ComponentType<SwedishPanelProps> };

function refusesSwedish({ server, queue }: Snapshot): boolean {
  return (
    server.kind === 'ready' &&
    queue.items.some(({ state, options }) => state.kind === 'parked' && options.language === 'sv')
  );
}

function isSwedish(code: string): boolean {
  return isSame(code, 'sv');
}
