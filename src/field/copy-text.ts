import type { Logger } from '../core/logger.ts';

type CopyPorts = {
  /** `navigator.clipboard`; undefined where there is none, as on pages without HTTPS. */
  readonly clipboard: Pick<Clipboard, 'writeText'> | undefined;
  readonly log: Pick<Logger, 'warn'>;
};

/**
 * Copies a text. Answers false, with a warning on the log and nothing else, when the clipboard is
 * missing or refuses. Never rejects.
 */
export async function copyText(text: string, { clipboard, log }: CopyPorts): Promise<boolean> {
  if (clipboard === undefined) {
    log.warn('Clipboard not supported');
    return false;
  }
  try {
    await clipboard.writeText(text);
    return true;
  } catch (error) {
    log.warn('Copying failed', error);
    return false;
  }
}
