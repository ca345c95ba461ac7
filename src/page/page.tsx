import { StrictMode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { createMicrophoneList } from '../capture/microphone-list.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import { Boundary } from '../widget/Boundary.tsx';
import { keepFetching } from '../widget/fetched-later.tsx';
import { App } from './App.tsx';
import { fetchApp } from './disclosures.tsx';
import type { EarlyTools } from './early-tools.ts';
import type { SettingsStore } from './settings.ts';

/** The app, made for later visits, starts this late so as not to delay the present one. */
const APP_DELAY_MS = 4_000;

/** Brings the page to life: as the build drew it, or drawn here where no build did. */
export function startPage(
  dictation: Dictation,
  settings: SettingsStore,
  early: EarlyTools | null,
): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no #root to draw in');
  /** The element that holds the text: one that is drawn anew goes on with it. */
  let text = root.querySelector('.field-text');
  const takeText = (element: HTMLElement): void => {
    if (text && text !== element) element.prepend(...text.childNodes);
    text = element;
  };
  const app = (
    <StrictMode>
      <Boundary>
        <App
          dictation={dictation}
          microphones={createMicrophoneList()}
          settings={settings}
          early={early}
          onText={takeText}
        />
      </Boundary>
    </StrictMode>
  );
  if (!root.hasChildNodes()) createRoot(root).render(app);
  // In slices, so that typing meanwhile does not wait.
  else startTransition(() => void hydrateRoot(root, app));
  setTimeout(() => {
    // Without it the page is one as any other.
    keepFetching(fetchApp, (app) => app.startApp(dictation, settings), console.info);
  }, APP_DELAY_MS);
}
