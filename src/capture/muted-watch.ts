import type { Clock } from '../core/clock.ts';

/** Browsers mute a track for moments, as when a headset changes its profile: that is no news. */
const GRACE_MS = 800;

/**
 * Calls `onMuted` when the system has muted the microphone for more than 800 ms, and when it has
 * unmuted it after that. Returns the end of the watch.
 */
export function watchMuted(
  clock: Clock,
  track: MediaStreamTrack,
  onMuted: (isMuted: boolean) => void,
): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  let isTold = false;
  let cancel = (): void => {};

  const look = (): void => {
    cancel();
    if (track.muted) cancel = clock.after(GRACE_MS, () => tell(track.muted));
    else tell(false);
  };
  const tell = (isMuted: boolean): void => {
    if (signal.aborted || isMuted === isTold) return;
    isTold = isMuted;
    onMuted(isMuted);
  };

  track.addEventListener('mute', look, { signal });
  track.addEventListener('unmute', look, { signal });
  look();
  return () => {
    listening.abort();
    cancel();
  };
}
