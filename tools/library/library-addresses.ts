import { join } from 'node:path';
import type { Plugin } from 'rolldown';

/** Puts the library's addresses in the place of those that Vite gives our own pages. */
export function libraryAddresses(): Plugin {
  return {
    name: 'diktera:library-addresses',
    resolveId(source) {
      if (!source.endsWith('/assets/addresses.ts')) return null;
      return join(import.meta.dirname, '..', '..', 'src', 'assets', 'library-addresses.ts');
    },
  };
}
