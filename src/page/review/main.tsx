import { createRoot } from 'react-dom/client';
import { Review } from './Review.tsx';

const root = document.getElementById('root');
if (root) createRoot(root).render(<Review />);
