import type { Logger } from '../core/logger.ts';

/**
 * What asks the browser, the first time it is called, not to clear what is stored here when the disk gets
 * full. Call it when somebody records: a site in use is more likely to be heard. Workers cannot ask.
 */
export function createStorageKeeper(log: Logger): () => void {
  let isAsked = false;

  async function ask(): Promise<void> {
    try {
      const isKept = await navigator.storage?.persist?.();
      if (!isKept) log.info('The browser may clear stored audio when the disk is full');
    } catch (error) {
      log.info('The browser did not answer whether stored audio is kept', error);
    }
  }

  return () => {
    if (isAsked) return;
    isAsked = true;
    void ask();
  };
}
