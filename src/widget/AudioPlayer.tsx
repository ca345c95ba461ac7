import { useCallback, useEffect, useRef, useState } from 'react';
import { AUDIO_EXTENSIONS } from '../core/audio/audio-types.ts';
import type { AudioFile } from '../core/contracts/worker-api.ts';
import { useListStrings } from './list-strings.ts';

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

type SeekBarProps = {
  readonly player: AudioPlayer;
  readonly lengthMs: number;
  /** Which dictation it belongs to, for those who only hear its name. */
  readonly of: string;
};

/** Where in a dictation the player is, and a way to another place; nothing until it has played. */
export function SeekBar({ player, lengthMs, of }: SeekBarProps) {
  const strings = useListStrings();
  if (player.atS === null) return null;
  const lengthS = lengthMs / 1_000;
  const atS = Math.min(player.atS, lengthS);
  const [at, all] = [clockText(atS), clockText(lengthS)];
  return (
    <div className="seek">
      <input
        type="range"
        aria-label={`${strings.seek}, ${of}`}
        aria-valuetext={strings.seekAt(at, all)}
        min={0}
        max={lengthS}
        // An arrow key goes a second, or through what is short in twenty steps.
        step={Math.min(1, lengthS / 20)}
        value={atS}
        onChange={({ currentTarget }) => player.seek(currentTarget.valueAsNumber)}
      />
      <span aria-hidden>
        {at} / {all}
      </span>
    </div>
  );
}

/** Such as 0:07 and 1:02:03. */
function clockText(seconds: number): string {
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / 3_600);
  const minutes = String(Math.floor(whole / 60) % 60);
  const rest = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${minutes.padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** For the name of a file, in any language: such as 2026-03-01 09.30. */
export function sortableTime(time: Date): string {
  return time.toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' }).replaceAll(':', '.');
}

/** Has the browser save a file under a name, its extension added. */
export function saveAudio({ type, bytes }: AudioFile, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.${AUDIO_EXTENSIONS[type]}`;
  link.click();
  // The download has the bytes by then; the address would keep them in memory.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
