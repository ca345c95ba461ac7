import type { Clock } from '../core/clock.ts';
import { DikteraError } from '../core/errors.ts';
import type { WorkletLink } from './worklet-link.ts';

type LossWatchPorts = {
  readonly clock: Clock;
  readonly onLost: (error: DikteraError) => void;
};

/**
 * Calls `onLost` once if audio stops coming for good: the microphone's track ends
 * (`microphone-lost`), the context is closed by others (`audio-context-closed`) or the worklet
 * fails (`audio-graph-failed`). A context that is suspended or interrupted (iOS: a telephone call)
 * may run again, and is no loss. Returns what ends the watch; nothing is called after it.
 */
export function watchForLoss(
  context: AudioContext,
  track: MediaStreamTrack,
  link: WorkletLink,
  ports: LossWatchPorts,
): () => void {
  const watch = new AbortController();
  const { signal } = watch;

  function lose(error: DikteraError): void {
    if (signal.aborted) return;
    watch.abort();
    ports.onLost(error);
  }

  function onTrackEnded(): void {
    lose(new DikteraError('microphone-lost', `The microphone '${track.label}' went away`));
  }

  function onStateChange(): void {
    if (context.state !== 'closed') return;
    lose(new DikteraError('audio-context-closed', 'The audio context was closed'));
  }

  track.addEventListener('ended', onTrackEnded, { signal });
  context.addEventListener('statechange', onStateChange, { signal });
  void link.failed.then(lose);
  // It may have gone while the graph was being built, and would not say so again. In a task of its
  // own, so that whoever opened has the handle by then.
  ports.clock.after(0, () => {
    if (track.readyState === 'ended') onTrackEnded();
    onStateChange();
  });
  return () => watch.abort();
}
