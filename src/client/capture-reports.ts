import { assertNever } from '../core/assert-never.ts';
import type { CaptureChange } from '../core/contracts/capture-port.ts';
import { type DikteraError, toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { MicrophoneDevice, Notice, NoticeKind } from '../core/session/snapshot.ts';
import type { WorkerConnection } from './worker-connection.ts';

/** Has what happens to a microphone logged, and told in the snapshot. */
export type CaptureReports = ReturnType<typeof createCaptureReports>;

export function createCaptureReports({
  connection,
  log,
}: {
  readonly connection: Pick<WorkerConnection, 'tell'>;
  readonly log: Logger;
}) {
  const raise = (notice: NoticeKind, error: Notice['error'] = null, durationMs?: number): void => {
    const length = durationMs === undefined ? {} : { durationMs };
    connection.tell((api) => api.report({ kind: 'notice', notice, error, ...length }));
  };

  const tellGap = (notice: 'capture-gap' | 'capture-slept', unheardMs: number): void => {
    log.warn(`Nothing was heard for ${Math.round(unheardMs)} ms`, notice);
    raise(notice, null, unheardMs);
  };

  const clear = (notice: NoticeKind): void => {
    connection.tell((api) => api.report({ kind: 'notice-dismissed', notice }));
  };

  const switched = (device: MicrophoneDevice): void => {
    connection.tell((api) => api.report({ kind: 'microphone-switched', device }));
  };

  return {
    raise,
    clear,
    changed(change: CaptureChange): void {
      switch (change.kind) {
        case 'chosen':
          switched(change.device);
          break;
        case 'switched':
          log.warn('The microphone went away; another one took over', change.device.label);
          switched(change.device);
          raise('microphone-switched');
          break;
        case 'away':
          if (change.isAway) raise('microphone-away');
          else clear('microphone-away');
          break;
        case 'muted':
          if (change.isMuted) raise('microphone-muted');
          else clear('microphone-muted');
          break;
        case 'stalled':
          log.error('No audio comes, though microphone and browser say that all is well');
          raise('capture-stalled');
          break;
        case 'flowing':
          clear('capture-stalled');
          if (change.unheardMs > 0) tellGap('capture-gap', change.unheardMs);
          break;
        case 'slept':
          clear('capture-stalled');
          tellGap('capture-slept', change.unheardMs);
          break;
        case 'tab-sound-ended':
          log.info('The tab is no longer shared');
          raise('tab-sound-ended');
          break;
        default:
          assertNever(change);
      }
    },
    /** Nothing more will be heard. */
    lost(error: DikteraError): void {
      log.error(error.message, error);
      const { code } = error;
      const isMicrophone = code === 'microphone-lost' || code === 'microphone-missing';
      raise(isMicrophone ? code : 'audio-context-closed', toErrorInfo(error, code));
    },
  };
}
