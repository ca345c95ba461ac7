type RecordingsMessage =
  | { readonly kind: 'changed' }
  /** All is deleted but these sessions: also what another tab still keeps of one that is over. */
  | { readonly kind: 'deleted'; readonly spared: ReadonlySet<string> };

/** What tabs tell each other of their recordings. */
export type RecordingsChannel = {
  tell(message: RecordingsMessage): void;
  listen(listener: (message: RecordingsMessage) => void): void;
};

/** Makes the channel on which they do. */
export function createRecordingsChannel(): RecordingsChannel {
  const channel = new BroadcastChannel('diktera-recordings');
  return {
    tell: (message) => channel.postMessage(message),
    listen: (listener) =>
      channel.addEventListener('message', ({ data }: MessageEvent<RecordingsMessage>) =>
        listener(data),
      ),
  };
}
