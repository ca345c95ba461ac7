import { useCallback, useEffect, useRef, useState } from 'react';
import type { AudioFile } from '../core/contracts/worker-api.ts';

/** Plays a file that has yet to be fetched. */
export type AudioPlayer = {
  readonly isPlaying: boolean;
  /** Where it is, in seconds; null until it was played. */
  readonly atS: number | null;
  /** Plays from where it was, from the beginning if that was the end, or holds. False if it can't. */
  toggle(): Promise<boolean>;
  /** Goes to a place, in seconds, of what was played. */
  seek(toS: number): void;
};

/** Holds whoever plays: one voice at a time. */
let holdOther: (() => void) | null = null;

/** A player of one file, which is fetched when it is first played; it ends with its component. */
export function useAudioPlayer(load: () => Promise<AudioFile | null>): AudioPlayer {
  const [isPlaying, setIsPlaying] = useState(false);
  const [atS, setAtS] = useState<number | null>(null);
  const audioRef = useRef<HTMLAudioElement | null>(null);
  const isLoading = useRef(false);
  const isGone = useRef(false);

  const end = useCallback(() => {
    const audio = audioRef.current;
    audioRef.current = null;
    if (audio) {
      audio.pause();
      URL.revokeObjectURL(audio.src);
    }
    setIsPlaying(false);
    setAtS(null);
  }, []);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      end();
    };
  }, [end]);

  const toggle = useCallback(async () => {
    if (audioRef.current && !audioRef.current.paused) {
      audioRef.current.pause();
      return true;
    }
    // Pressed again before the file has come.
    if (isLoading.current) return true;
    isLoading.current = true;
    try {
      audioRef.current ??= audioOf(await load());
    } finally {
      isLoading.current = false;
    }
    const audio = audioRef.current;
    if (!audio) return false;
    if (isGone.current) {
      end();
      return true;
    }
    audio.onplay = () => {
      setIsPlaying(true);
      // WebKit tells the time only after a while.
      setAtS(audio.currentTime);
    };
    audio.onpause = () => setIsPlaying(false);
    audio.ontimeupdate = () => setAtS(audio.currentTime);
    holdOther?.();
    holdOther = () => audio.pause();
    try {
      await audio.play();
      return true;
    } catch (error) {
      // Held again before it began.
      if (error instanceof DOMException && error.name === 'AbortError') return true;
      end();
      return false;
    }
  }, [load, end]);

  const seek = useCallback((toS: number) => {
    if (!audioRef.current) return;
    audioRef.current.currentTime = toS;
    setAtS(toS);
  }, []);

  return { isPlaying, atS, toggle, seek };
}

function audioOf(file: AudioFile | null): HTMLAudioElement | null {
  return file && new Audio(URL.createObjectURL(new Blob([file.bytes], { type: file.type })));
}
