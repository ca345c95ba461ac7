import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { rangeSamples, type SampleRange } from '../../src/core/audio/sample-range.ts';
import { dictationOf, rangeKey, rangeOf } from './records.ts';
import type { PendingEntry } from './write-behind.ts';

/** The longest record of audio: what one that cannot be read costs, and all that is dropped at once. */
export const MAX_RECORD_SAMPLES = 2 * FRAME_SAMPLES;

type Pcm = SampleRange & { readonly sessionId: string; readonly bytes: Uint8Array };

/** Frames that follow one another as one record: a record costs the browser as much as its audio. */
export function joinFrames(entries: readonly PendingEntry[]): readonly PendingEntry[] {
  const joined: PendingEntry[] = [];
  let last: Pcm | undefined;
  for (const entry of entries) {
    const next = pcmIn(entry);
    if (last && next && follows(last, next)) {
      last = { ...last, endSample: next.endSample, bytes: concat(last.bytes, next.bytes) };
      joined[joined.length - 1] = entryOf(last);
      continue;
    }
    last = next;
    joined.push(entry);
  }
  return joined;
}

function follows(last: Pcm, next: Pcm): boolean {
  return (
    last.sessionId === next.sessionId &&
    last.endSample === next.startSample &&
    rangeSamples(last) + rangeSamples(next) <= MAX_RECORD_SAMPLES
  );
}

function pcmIn({ key, value }: PendingEntry): Pcm | undefined {
  const range = rangeOf(key);
  const sessionId = dictationOf(key);
  if (!range || sessionId === undefined || !(value instanceof ArrayBuffer)) return undefined;
  return { ...range, sessionId, bytes: new Uint8Array(value) };
}

function entryOf({ sessionId, bytes, ...range }: Pcm): PendingEntry {
  const { buffer } = bytes;
  return { key: rangeKey('pcm', sessionId, range), value: buffer, audioBytes: bytes.byteLength };
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
