import { join } from 'node:path';

// Nothing is needed for Diktera.
export default {
  mode: 'production',
  entry: './main.js',
  output: { path: join(import.meta.dirname, 'dist') },
};
