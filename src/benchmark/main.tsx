import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../widget/styles/tokens.css';
import '../widget/styles/base.css';
import 'uplot/dist/uPlot.min.css';
import './styles/benchmark.css';
import { BenchmarkPage } from './BenchmarkPage.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root to draw in');

createRoot(root).render(
  <StrictMode>
    <BenchmarkPage />
  </StrictMode>,
);
