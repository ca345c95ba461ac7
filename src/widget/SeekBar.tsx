import { useStrings } from './strings.ts';
import type { AudioPlayer } from './use-audio-player.ts';

type SeekBarProps = {
  readonly player: AudioPlayer;
  readonly lengthMs: number;
  /** Which dictation it belongs to, for those who only hear its name. */
  readonly of: string;
};

/** Where in a dictation the player is, and a way to another place; nothing until it has played. */
export function SeekBar({ player, lengthMs, of }: SeekBarProps) {
  const strings = useStrings().waiting;
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
