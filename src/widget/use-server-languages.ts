import type { Dictation } from '../core/contracts/dictation.ts';
import { useSnapshot } from './use-snapshot.ts';

const NONE: readonly string[] = [];

/** What the server can write down; empty while it is not known. */
export function useServerLanguages(dictation: Dictation): readonly string[] {
  return useSnapshot(dictation, ({ server }) =>
    server.kind === 'ready' ? server.languages : NONE,
  );
}
