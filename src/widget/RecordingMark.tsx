import type { Recording } from '../core/recordings/recording.ts';
import { useStrings } from './strings.ts';
import type { Strings } from './strings-sv.ts';

type RecordingMarkProps = {
  readonly recording: Recording;
  /** It is being made in this tab. */
  readonly isOwn: boolean;
};

/** Where a recording stands, in words; nothing where there is nothing more to come. */
export function RecordingMark({ recording, isOwn }: RecordingMarkProps) {
  const { recent, waiting } = useStrings();
  const { state, rewriting, durationSamples } = recording;
  if (rewriting && !rewriting.isRefused) {
    const why = rewriting.error && whyLater(rewriting.error.code, waiting);
    return (
      <span className="recent-mark">
        {[recent.states.rewriting, why].filter(Boolean).join('. ')}
      </span>
    );
  }
  switch (state.kind) {
    case 'recording':
      return (
        <span className="recent-mark is-live">
          {recent.states[isOwn ? 'recording' : 'recording-elsewhere']}
        </span>
      );
    case 'waiting':
      return <span className="recent-mark">{recent.states.waiting}</span>;
    default:
      return durationSamples === 0 ? <span>{recent.noSound}</span> : null;
  }
}

function whyLater(code: string, { states }: Strings['waiting']): string {
  return code === 'http-network' || code === 'http-timeout' ? states.network : states.server;
}
