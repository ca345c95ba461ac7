/** Told to other tabs by each that has changed something. */
export type RecordingsChannel = {
  tellChanged(): void;
  onChanged(listener: () => void): void;
};

/** Makes the channel on which tabs tell each other of their recordings. */
export function createRecordingsChannel(): RecordingsChannel {
  const channel = new BroadcastChannel('diktera-recordings');
  return {
    tellChanged: () => channel.postMessage(null),
    onChanged: (listener) => channel.addEventListener('message', listener),
  };
}
