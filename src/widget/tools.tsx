import { Check, Copy, LoaderCircle, Mic, Pause, Play, Square, Trash2 } from 'lucide-react';
import { memo, useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { SessionPhase } from '../core/session/snapshot.ts';
import type { PushToTalkTouch } from './push-to-talk.ts';
import { useStrings } from './strings.tsx';
import { Tooltip } from './Tooltip.tsx';

type DictateButtonProps = {
  readonly phase: SessionPhase;
  /** Another field is dictated into: this one has to wait. */
  readonly isBusyElsewhere?: boolean;
  /** The key that does the same, as `KeyboardEvent.key` names it. */
  readonly pushToTalkKey?: string | null;
  /** Push to talk with a finger. @default a touch is a click like any other */
  readonly touch?: PushToTalkTouch;
  readonly onStart: () => void;
  readonly onStop: () => void;
};

/** Starts a recording, and is `StopButton`'s likeness while one goes on. */
export function DictateButton(props: DictateButtonProps) {
  const { phase, isBusyElsewhere = false, pushToTalkKey, touch, onStart, onStop } = props;
  const strings = useStrings();
  const isBusy = phase === 'starting' || phase === 'finishing' || phase === 'transcribing';
  const isRecording = phase === 'recording' || phase === 'paused';
  const isOff = isBusy || isBusyElsewhere;
  const press = isRecording ? onStop : onStart;
  const label = isRecording ? strings.stop : strings.dictate;
  const key = pushToTalkKey ? ` (${pushToTalkKey})` : '';
  return (
    <Tooltip label={isBusyElsewhere ? strings.busyElsewhere : `${label}${key}`}>
      <button
        type="button"
        className={`tool tool-dictate ${isRecording ? 'is-stop' : ''}`}
        data-is-paused={phase === 'paused'}
        aria-busy={isBusy}
        aria-disabled={isOff}
        aria-keyshortcuts={pushToTalkKey ?? undefined}
        onPointerDown={touch?.onPointerDown}
        onContextMenu={touch?.onContextMenu}
        onClick={(event) => {
          if (!(isOff || touch?.isUsedUp(event))) press();
        }}
      >
        {isBusy ? (
          <LoaderCircle className="spinner" aria-hidden />
        ) : isRecording ? (
          <Square aria-hidden />
        ) : (
          <Mic aria-hidden />
        )}
        <span>{label}</span>
      </button>
    </Tooltip>
  );
}

type StopButtonProps = { readonly isPaused: boolean; readonly onStop: () => void };

/** Ends a recording and has its text inserted: one name and look, wherever it stands. */
export function StopButton({ isPaused, onStop }: StopButtonProps) {
  const { stop } = useStrings();
  return (
    <button type="button" className="tool is-stop" data-is-paused={isPaused} onClick={onStop}>
      <Square aria-hidden />
      <span>{stop}</span>
    </button>
  );
}

type PauseButtonProps = { readonly dictation: Dictation; readonly isPaused: boolean };

/** Pauses a recording, or goes on with it: its name says which. */
export function PauseButton({ dictation, isPaused }: PauseButtonProps) {
  const { pause, resume } = useStrings();
  return (
    <button
      type="button"
      className="tool"
      onClick={() => (isPaused ? dictation.resume() : dictation.pause())}
    >
      {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
      <span>{isPaused ? resume : pause}</span>
    </button>
  );
}

/** Ends a recording and throws it away; it can be had back for a while. */
export function DiscardButton({ onDiscard }: { readonly onDiscard: () => void }) {
  const { discard } = useStrings();
  return (
    <button type="button" className="tool" aria-keyshortcuts="Escape" onClick={onDiscard}>
      <Trash2 aria-hidden />
      <span>{discard}</span>
    </button>
  );
}

/** Time for which a copy is confirmed and the button disabled. */
export const COPY_CONFIRMATION_MS = 2_000;

type CopyButtonProps = {
  /** Copies; false if it could not. */
  readonly copy: () => Promise<boolean>;
};

/** Copies the field's text. While it is disabled its toolbar keeps the keyboard's focus for it. */
export const CopyButton = memo(function CopyButton({ copy }: CopyButtonProps) {
  const strings = useStrings();
  const [isCopied, setIsCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), COPY_CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  return (
    <>
      <Tooltip label={strings.copy}>
        <button
          type="button"
          className={`tool ${isCopied ? 'is-done' : ''}`}
          disabled={isCopied}
          onClick={() => void copy().then(setIsCopied)}
        >
          {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
          <span>{strings.copy}</span>
        </button>
      </Tooltip>
      <span className="visually-hidden" role="status">
        {isCopied ? strings.copied : ''}
      </span>
    </>
  );
});
