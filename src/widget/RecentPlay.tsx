import { Mic, Pause, Play, VolumeX } from 'lucide-react';
import type { Recording } from '../core/recordings/recording.ts';
import { useStrings } from './strings.ts';
import type { AudioPlayer } from './use-audio-player.ts';

type RecentPlayProps = {
  readonly recording: Recording;
  /** Its name: when it was made. */
  readonly of: string;
  readonly player: AudioPlayer;
  readonly onToggle: () => void;
};

/** Plays a recording; a mark in its place where it is being made, or there is no sound of it. */
export function RecentPlay({ recording, of, player, onToggle }: RecentPlayProps) {
  const { waiting } = useStrings();
  if (recording.state.kind === 'recording') {
    return (
      <span className="recent-still is-live">
        <Mic aria-hidden size={20} />
      </span>
    );
  }
  if (recording.durationSamples === 0) {
    return (
      <span className="recent-still">
        <VolumeX aria-hidden size={20} />
      </span>
    );
  }
  return (
    <button
      type="button"
      className="tool is-outlined recent-play"
      aria-label={`${waiting.play}, ${of}`}
      aria-pressed={player.isPlaying}
      onClick={onToggle}
    >
      {player.isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
    </button>
  );
}
