import { setImmediate } from 'node:timers/promises';

/** Other requests get their turn after this much decoding. */
const WORK_MS = 4;

/**
 * More packets than any file within the limit on length needs (Opus packets hold 2.5 ms at least, and
 * ten minutes are the usual limit). Ends a demuxer that a crafted file sends in circles.
 */
const MAX_PACKETS = 300_000;

/** Call it once a packet: lets the event loop run now and then, and stops when the signal says so. */
export function createBreather(signal: AbortSignal): () => Promise<void> {
  let packets = 0;
  let begunMs = performance.now();
  return async () => {
    packets++;
    if (packets > MAX_PACKETS) throw new Error('the file has too many packets');
    if (performance.now() - begunMs < WORK_MS) return;
    await setImmediate();
    begunMs = performance.now();
    signal.throwIfAborted();
  };
}
