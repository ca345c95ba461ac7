import { isDeletedBy, type Owner, type OwnerScope } from '../../src/core/queue/owner.ts';

type RecordingsMessage =
  | { readonly kind: 'changed' }
  /** All is deleted but these sessions: also what another tab still keeps of one that is over. */
  | { readonly kind: 'deleted'; readonly spared: ReadonlySet<string> };

/** What tabs tell each other of their recordings. */
export type RecordingsChannel = {
  tell(message: RecordingsMessage): void;
  listen(listener: (message: RecordingsMessage) => void): void;
};

/** Makes the channel on which they do. Others' tabs hear, too: what they delete stays theirs alone. */
export function createRecordingsChannel(scope: Pick<OwnerScope, 'owner'>): RecordingsChannel {
  const channel = new BroadcastChannel('diktera-recordings');
  return {
    tell: (message) => channel.postMessage({ ...message, by: scope.owner }),
    listen: (listener) =>
      channel.addEventListener(
        'message',
        ({ data }: MessageEvent<RecordingsMessage & { readonly by?: Owner }>) =>
          listener(isDeletedBy(scope, data.by) ? data : { kind: 'changed' }),
      ),
  };
}
