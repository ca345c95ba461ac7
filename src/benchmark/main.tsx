import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../widget/styles/tokens.css';
import '../widget/styles/base.css';
import 'uplot/dist/uPlot.min.css';
import './styles/benchmark.css';
import { BenchmarkPage } from './BenchmarkPage.tsx';
import { LANGUAGE, STRINGS } from './benchmark-strings.ts';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root to draw in');

document.documentElement.lang = LANGUAGE;
document.title = STRINGS.documentTitle;
createRoot(root).render(
  <StrictMode>
    <BenchmarkPage />
  </StrictMode>,
);
