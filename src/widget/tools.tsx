import {
  FloatingDelayGroup,
  flip,
  offset,
  shift,
  useDelayGroup,
  useDismiss,
  useFloating,
  useFocus,
  useHover,
  useInteractions,
} from '@floating-ui/react';
import { Check, Copy, LoaderCircle, Mic, Pause, Play, Square, Trash2 } from 'lucide-react';
import { cloneElement, memo, type ReactElement, type ReactNode, useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { SessionPhase } from '../core/session/snapshot.ts';
import { showOnTop } from './on-top.ts';
import type { PushToTalkTouch } from './push-to-talk.ts';
import { useStrings } from './strings.tsx';

/**
 * Delay of a tooltip; none for a neighbour's that follows within the second time.
 */
const TOOLTIP_DELAY_MS = 700;
const TOOLTIP_SKIP_DELAY_MS = 300;

/** Groups buttons: a neighbour's tooltip comes without a delay. */
export function TooltipGroup({ children }: { readonly children: ReactNode }) {
  return (
    <FloatingDelayGroup
      delay={{ open: TOOLTIP_DELAY_MS, close: 0 }}
      timeoutMs={TOOLTIP_SKIP_DELAY_MS}
    >
      {children}
    </FloatingDelayGroup>
  );
}

type TooltipProps = {
  readonly label: string;
  /** One element that takes a ref and event handlers. */
  readonly children: ReactElement<Record<string, unknown>>;
};

/**
 * Says what a button does when the pointer or the focus rests on it. Below it, away from the line
 * being written. For the eye only: the button has its own name, and the same words again as a
 * description would be noise.
 */
export function Tooltip({ label, children }: TooltipProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { refs, floatingStyles, context } = useFloating({
    open: isOpen,
    onOpenChange: setIsOpen,
    strategy: 'fixed',
    placement: 'bottom',
    middleware: [offset(8), flip({ padding: 8 }), shift({ padding: 8 })],
  });
  const { delay } = useDelayGroup(context);
  const { getReferenceProps, getFloatingProps } = useInteractions([
    useHover(context, { delay, move: false }),
    useFocus(context),
    // A button that was pressed needs no explanation; Escape is also the toolbar's.
    useDismiss(context, { referencePress: true, bubbles: true }),
  ]);
  return (
    <>
      {cloneElement(children, { ref: refs.setReference, ...getReferenceProps(children.props) })}
      {isOpen && (
        <div
          ref={(element) => {
            refs.setFloating(element);
            showOnTop(element);
          }}
          popover="manual"
          className="tooltip"
          aria-hidden
          style={floatingStyles}
          {...getFloatingProps()}
        >
          {label}
        </div>
      )}
    </>
  );
}

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
