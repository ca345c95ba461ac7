/** An item without its audio: a `QueueItemHead`. */
export function headKey(id: string): IDBValidKey {
  return ['head', id];
}

/** An item's audio: an `EncodedAudio`. */
export function audioKey(id: string): IDBValidKey {
  return ['audio', id];
}

/** All heads: an array sorts after every string. */
export function allHeads(): IDBKeyRange {
  return IDBKeyRange.bound(['head'], ['head', []]);
}
