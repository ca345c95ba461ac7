import { RotateCw } from 'lucide-react';
import type { Recording } from '../core/recordings/recording.ts';
import { useStrings } from './strings.ts';

type RecentDoubtProps = {
  readonly recording: Recording;
  /** Its name: when it was made. */
  readonly of: string;
  readonly onAgain: () => void;
};

/** Why a text may not be right, with what helps beside it; nothing where it may be. */
export function RecentDoubt({ recording, of, onAgain }: RecentDoubtProps) {
  const { recent, waiting } = useStrings();
  const { doubt, rewriting, durationSamples } = recording;
  const isRefused = rewriting?.isRefused === true;
  if (doubt === null && !isRefused) return null;
  return (
    <p className="waiting-doubt recent-doubt">
      <span>{isRefused ? waiting.states.parked : doubt && recent.doubts[doubt]}</span>
      {durationSamples > 0 && (rewriting === null || isRefused) && (
        <button
          type="button"
          className="tool"
          aria-label={`${recent.again}, ${of}`}
          onClick={onAgain}
        >
          <RotateCw aria-hidden />
          <span>{recent.again}</span>
        </button>
      )}
    </p>
  );
}
