import { StrictMode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { createMicrophoneList } from '../capture/microphone-list.ts';
import { createDictation } from '../create-dictation.ts';
import { App } from './App.tsx';
import type { EarlyTools } from './early-tools.ts';
import type { SettingsStore } from './settings.ts';

/** Brings the page to life: as the build drew it, or drawn here where no build did. */
export function startPage(settings: SettingsStore, early: EarlyTools | null): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no #root to draw in');
  const app = (
    <StrictMode>
      <App
        dictation={createDictation()}
        microphones={createMicrophoneList()}
        settings={settings}
        early={early}
      />
    </StrictMode>
  );
  if (!root.hasChildNodes()) createRoot(root).render(app);
  // In slices: what is typed meanwhile is not kept waiting.
  else startTransition(() => void hydrateRoot(root, app));
}
