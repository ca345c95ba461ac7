import { assertNever } from '../core/assert-never.ts';
import type { CaptureChange } from '../core/capture-port.ts';
import type { DikteraError, ErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { NoticeKind } from '../core/notices.ts';
import type { Supervisor } from './supervisor.ts';

/** Has what happens to a microphone logged, and told in the snapshot. */
export type CaptureReports = {
  raise(notice: NoticeKind, error: ErrorInfo | null): void;
  changed(change: CaptureChange): void;
  /** Nothing more will be heard. */
  lost(error: DikteraError): void;
};

export function createCaptureReports({
  supervisor,
  log,
}: {
  readonly supervisor: Supervisor;
  readonly log: Logger;
}): CaptureReports {
  const raise = (notice: NoticeKind, error: ErrorInfo | null): void => {
    void supervisor.worker().api.report({ kind: 'notice', notice, error });
  };

  return {
    raise,
    changed(change) {
      const { api } = supervisor.worker();
      switch (change.kind) {
        case 'chosen':
          void api.report({ kind: 'microphone-switched', device: change.device });
          break;
        case 'switched':
          log.warn('The microphone went away; another one took over', change.device.label);
          void api.report({ kind: 'microphone-switched', device: change.device });
          raise('microphone-switched', null);
          break;
        case 'muted':
          if (change.isMuted) raise('microphone-muted', null);
          else void api.report({ kind: 'notice-dismissed', notice: 'microphone-muted' });
          break;
        case 'tab-sound-ended':
          log.info('The tab is no longer shared');
          raise('tab-sound-ended', null);
          break;
        default:
          assertNever(change);
      }
    },
    lost(error) {
      log.error(error.message, error);
      const { code } = error;
      const isMicrophone = code === 'microphone-lost' || code === 'microphone-missing';
      raise(isMicrophone ? code : 'audio-context-closed', {
        code,
        message: error.message,
      });
    },
  };
}
