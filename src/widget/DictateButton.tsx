import { LoaderCircle, Mic } from 'lucide-react';
import type { SessionPhase } from '../core/session/snapshot.ts';
import { useStrings } from './strings.ts';
import { Tooltip } from './Tooltip.tsx';
import type { TalkTouch } from './use-talk-touch.ts';

type DictateButtonProps = {
  readonly phase: SessionPhase;
  /** Another field is dictated into: this one has to wait. */
  readonly isBusyElsewhere?: boolean;
  /** The key that does the same, as `KeyboardEvent.key` names it. */
  readonly talkKey?: string | null;
  /** What a finger does that is held on it. @default a finger's press is any press */
  readonly touch?: TalkTouch;
  readonly onStart: () => void;
  readonly onStop: () => void;
};

/** Starts and ends a recording. Its name never changes: `aria-pressed` tells the state. */
export function DictateButton(props: DictateButtonProps) {
  const { phase, isBusyElsewhere = false, talkKey, touch, onStart, onStop } = props;
  const strings = useStrings();
  const isBusy = phase === 'starting' || phase === 'finishing' || phase === 'transcribing';
  const isRecording = phase === 'recording' || phase === 'paused';
  const isOff = isBusy || isBusyElsewhere;
  const press = isRecording ? onStop : onStart;
  return (
    <Tooltip label={isBusyElsewhere ? strings.busyElsewhere : strings.dictate}>
      <button
        type="button"
        className={`tool tool-dictate ${isRecording ? 'is-destructive' : ''}`}
        aria-pressed={isRecording}
        aria-busy={isBusy}
        aria-disabled={isOff}
        aria-keyshortcuts={talkKey ?? undefined}
        onPointerDown={touch?.onPointerDown}
        onContextMenu={touch?.onContextMenu}
        onClick={(event) => {
          if (!(isOff || touch?.isUsedUp(event))) press();
        }}
      >
        {isBusy ? <LoaderCircle className="spinner" aria-hidden /> : <Mic aria-hidden />}
        <span>{strings.dictate}</span>
      </button>
    </Tooltip>
  );
}
