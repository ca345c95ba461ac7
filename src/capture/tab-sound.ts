import type { Clock } from '../core/clock.ts';
import { DikteraError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { AudioGraph } from './audio-graph.ts';
import type { TabSoundEdge } from './capture-ports.ts';
import { stopStream } from './microphones.ts';

/** The sound of a tab that the user shares. */
type OpenTabSound = { readonly stream: MediaStream; readonly track: MediaStreamTrack };

/** Chromium's, not yet in TypeScript's library. */
type DisplayOptions = DisplayMediaStreamOptions & {
  readonly selfBrowserSurface: 'exclude';
  readonly systemAudio: 'exclude';
};

const OPTIONS: DisplayOptions = {
  // Without a picture no browser shares a tab; it is let go at once.
  video: { width: 1, height: 1, frameRate: 1 },
  // The user goes on hearing the tab; its sound is not cleaned up as if it were a voice.
  audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
  selfBrowserSurface: 'exclude',
  systemAudio: 'exclude',
};

/**
 * True if the sound of a tab can be had. Firefox and Safari share pictures only; without asking the
 * user, only a constraint about a tab's sound tells.
 */
export function canRecordTabSound(edge: TabSoundEdge | undefined): boolean {
  if (!edge?.getDisplayMedia) return false;
  return 'suppressLocalAudioPlayback' in (edge.getSupportedConstraints?.() ?? {});
}

/**
 * Lets the user pick a tab; call it in the user's own click, before any wait. Throws
 * `tab-sound-refused`, which is logged, when none is shared or it comes without sound.
 */
export async function openTabSound(
  edge: TabSoundEdge | undefined,
  log: Logger,
): Promise<OpenTabSound> {
  try {
    if (!edge?.getDisplayMedia) throw new Error('This browser cannot share tabs');
    const stream = await edge.getDisplayMedia(OPTIONS);
    const [track] = stream.getAudioTracks();
    if (track === undefined) {
      stopStream(stream);
      throw new Error('What was shared has no sound');
    }
    for (const picture of stream.getVideoTracks()) picture.stop();
    return { stream, track };
  } catch (cause) {
    const error = new DikteraError('tab-sound-refused', 'Tab capture refused', { cause });
    log.error(error.message, cause);
    throw error;
  }
}

/** The sound of a tab that is heard with the microphone. */
export type MixedTab = {
  readonly stream: MediaStream;
  /** Sets the listener that is called once, when the user shares it no longer. */
  onEnded(listener: () => void): void;
  /** Attaches it to the next graph, too, if it can be. */
  alsoIn(graph: AudioGraph): void;
  /** Calls no listener any more. */
  leave(): void;
};

/**
 * Lets a tab sound with the microphone until the user stops sharing it. Throws
 * `audio-graph-failed`.
 */
export function mixIn(graph: AudioGraph, clock: Clock, { stream, track }: OpenTabSound): MixedTab {
  const detach = graph.attach(stream);
  const listening = new AbortController();
  const { signal } = listening;
  return {
    stream,
    onEnded(listener) {
      const onTrackEnded = (): void => {
        if (signal.aborted) return;
        listening.abort();
        detach();
        listener();
      };
      track.addEventListener('ended', onTrackEnded, { signal });
      // It may have ended while the microphone was being opened, and would not say so again.
      clock.after(0, () => {
        if (track.readyState === 'ended') onTrackEnded();
      });
    },
    alsoIn(next) {
      try {
        next.attach(stream);
      } catch {
        // The recording goes on with the microphone alone.
      }
    },
    leave: () => listening.abort(),
  };
}
