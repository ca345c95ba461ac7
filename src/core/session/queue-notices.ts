import type { Notice } from './notices.ts';
import type { QueueState } from './snapshot.ts';

/** What a person must be told about the queue: follows from its state alone. */
export function queueNotices(queue: QueueState): readonly Notice[] {
  const states = queue.items.map((item) => item.state);
  const failed = states.findLast((state) => state.kind === 'waiting' && state.lastError !== null);
  const parked = states.findLast((state) => state.kind === 'parked');
  const lastError = failed?.kind === 'waiting' ? failed.lastError : null;
  const notices: Notice[] = [];
  if (queue.isUnauthorised) notices.push({ kind: 'uploads-unauthorised', error: lastError });
  else if (failed) notices.push({ kind: 'upload-failed', error: lastError });
  if (parked?.kind === 'parked') notices.push({ kind: 'chunk-parked', error: parked.error });
  if (states.some(({ kind }) => kind === 'doubted'))
    notices.push({ kind: 'text-doubted', error: null });
  return notices;
}
