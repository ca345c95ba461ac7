import type { ErrorInfo } from '../errors.ts';
import { isForReview, waitingState } from '../queue/queue-item.ts';
import type { Notice, NoticeKind } from './notices.ts';
import type { QueueState } from './snapshot.ts';
import type { SnapshotEvent } from './snapshot-events.ts';

/** What a person must be told about the queue: follows from its state alone. */
export function queueNotices(queue: QueueState): readonly Notice[] {
  const states = queue.items.map((item) => item.state);
  const errors = states.flatMap((state) => waitingState(state)?.lastError ?? []);
  const refused = states.findLast((state) => state.kind === 'refused');
  const lastError = errors.at(-1) ?? null;
  const notices: Notice[] = [];
  if (queue.isUnauthorised) notices.push({ kind: 'uploads-unauthorised', error: lastError });
  else if (lastError) notices.push({ kind: 'upload-failed', error: lastError });
  if (refused) notices.push({ kind: 'chunk-refused', error: refused.error });
  if (states.some(isForReview)) notices.push({ kind: 'text-needs-review', error: null });
  return notices;
}

/** The queue's `onChange` and `onStorage`, told as snapshot events. */
export type QueueReporter = ReturnType<typeof createQueueReporter>;

/** Makes a reporter: a notice is raised when its cause is there, and cleared when it is gone. */
export function createQueueReporter(dispatch: (event: SnapshotEvent) => void) {
  let raised = new Map<NoticeKind, ErrorInfo | null>();

  return {
    onChange(queue: QueueState) {
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
    onStorage(error: ErrorInfo | null) {
      if (error) dispatch({ kind: 'notice-raised', notice: 'storage-failed', error });
      else dispatch({ kind: 'notice-cleared', notice: 'storage-failed' });
    },
  };
}
