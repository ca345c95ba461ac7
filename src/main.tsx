import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createMicrophoneList } from './capture/microphone-list.ts';
import { createDictation } from './dictation.ts';
import { App } from './ui/App.tsx';
import { createSettingsStore, pageStorage } from './ui/settings.ts';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root to draw in');

const dictation = createDictation();
const microphones = createMicrophoneList();
const settings = createSettingsStore(pageStorage());

createRoot(root).render(
  <StrictMode>
    <App dictation={dictation} microphones={microphones} settings={settings} />
  </StrictMode>,
);
