import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createDictation } from './dictation.ts';
import { App } from './ui/App.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root to draw in');

const dictation = createDictation();

createRoot(root).render(
  <StrictMode>
    <App dictation={dictation} />
  </StrictMode>,
);
