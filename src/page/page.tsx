import { StrictMode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { createMicrophoneList } from '../capture/microphone-list.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import { createDictation } from '../create-dictation.ts';
import { App } from './App.tsx';
import type { EarlyTools } from './early-tools.ts';
import type { SettingsStore } from './settings.ts';

/** What is for later visits keeps out of the way of this one's beginning. */
const APP_DELAY_MS = 4_000;

/** Brings the page to life: as the build drew it, or drawn here where no build did. */
export function startPage(settings: SettingsStore, early: EarlyTools | null): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no #root to draw in');
  const dictation = createDictation();
  const app = (
    <StrictMode>
      <App
        dictation={dictation}
        microphones={createMicrophoneList()}
        settings={settings}
        early={early}
      />
    </StrictMode>
  );
  if (!root.hasChildNodes()) createRoot(root).render(app);
  // In slices: what is typed meanwhile is not kept waiting.
  else startTransition(() => void hydrateRoot(root, app));
  startAppLater(dictation, settings);
}

function startAppLater(dictation: Dictation, settings: SettingsStore): void {
  setTimeout(() => {
    if (dictation.getSnapshot().session.phase !== 'idle') startAppLater(dictation, settings);
    else void import('./app/start-app.tsx').then(({ startApp }) => startApp(dictation, settings));
  }, APP_DELAY_MS);
}
