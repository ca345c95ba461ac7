import { join } from 'node:path';

/** The project's own folder. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** Where the library is built. */
export const LIBRARY = join(ROOT, 'dist', 'lib');
