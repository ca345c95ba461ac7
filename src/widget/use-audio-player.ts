import { useCallback, useEffect, useRef, useState } from 'react';
import type { AudioFile } from '../core/contracts/worker-api.ts';

/** Plays a file that has yet to be fetched. */
export type AudioPlayer = {
  readonly isPlaying: boolean;
  /** Plays from the beginning, or stops. False if nothing can be played. */
  toggle(): Promise<boolean>;
};

/** A player of one file; it stops when its component goes. */
export function useAudioPlayer(load: () => Promise<AudioFile | null>): AudioPlayer {
  const [isPlaying, setIsPlaying] = useState(false);
  const stopRef = useRef<(() => void) | null>(null);

  useEffect(() => () => stopRef.current?.(), []);

  const toggle = useCallback(async () => {
    if (stopRef.current) {
      stopRef.current();
      return true;
    }
    const file = await load();
    if (!file) return false;
    const url = URL.createObjectURL(new Blob([file.bytes], { type: file.type }));
    const audio = new Audio(url);
    const stop = (): void => {
      audio.pause();
      URL.revokeObjectURL(url);
      stopRef.current = null;
      setIsPlaying(false);
    };
    stopRef.current = stop;
    audio.addEventListener('ended', stop);
    setIsPlaying(true);
    try {
      await audio.play();
      return true;
    } catch {
      stop();
      return false;
    }
  }, [load]);

  return { isPlaying, toggle };
}
