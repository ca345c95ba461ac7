import { DATABASE_NAME, DATABASE_VERSION } from '../../core/contracts/database.ts';
import type { Dictation } from '../../core/contracts/dictation.ts';

/** Whether what is stored has a newer form than this page knows. */
export type StorageForm = ReturnType<typeof watchStorageForm>;

/**
 * Watches for a newer build of another tab that has changed the form of what is stored: this page
 * can store nothing any more then, and is to be loaded again. Looked at when storage fails.
 */
export function watchStorageForm(dictation: Dictation) {
  const listeners = new Set<() => void>();
  let isNewer = false;
  let hasFailed = false;

  async function look(): Promise<void> {
    const databases = (await indexedDB.databases?.()) ?? [];
    const { version = 0 } = databases.find(({ name }) => name === DATABASE_NAME) ?? {};
    if (version <= DATABASE_VERSION || isNewer) return;
    isNewer = true;
    for (const listener of listeners) listener();
  }

  const onChange = (): void => {
    const { notices } = dictation.getSnapshot();
    const failsNow = notices.some(({ kind }) => kind === 'storage-failed');
    if (failsNow && !hasFailed) look().catch(() => {});
    hasFailed = failsNow;
  };
  dictation.subscribe(onChange);
  onChange();
  return {
    isNewer: (): boolean => isNewer,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
