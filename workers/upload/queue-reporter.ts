import type { ErrorInfo } from '../../src/core/errors.ts';
import type { NoticeKind } from '../../src/core/session/notices.ts';
import { queueNotices } from '../../src/core/session/queue-notices.ts';
import type { QueueState } from '../../src/core/session/snapshot.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot-events.ts';

/** The queue's `onChange` and `onStorage`, told as snapshot events. */
export type QueueReporter = {
  onChange(queue: QueueState): void;
  onStorage(error: ErrorInfo | null): void;
};

/** Makes a reporter: a notice is raised when its cause is there, and cleared when it is gone. */
export function createQueueReporter(dispatch: (event: SnapshotEvent) => void): QueueReporter {
  let raised = new Map<NoticeKind, ErrorInfo | null>();

  return {
    onChange(queue) {
      dispatch({ kind: 'queue-changed', queue });
      const notices = new Map(queueNotices(queue).map(({ kind, error }) => [kind, error]));
      for (const notice of raised.keys()) {
        if (!notices.has(notice)) dispatch({ kind: 'notice-cleared', notice });
      }
      for (const [notice, error] of notices) {
        if (raised.get(notice) !== error) dispatch({ kind: 'notice-raised', notice, error });
      }
      raised = notices;
    },
    onStorage(error) {
      if (error) dispatch({ kind: 'notice-raised', notice: 'storage-failed', error });
      else dispatch({ kind: 'notice-cleared', notice: 'storage-failed' });
    },
  };
}
