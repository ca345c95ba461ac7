import { Undo2 } from 'lucide-react';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { SessionState } from '../core/session/snapshot.ts';
import { activeElementOf } from '../field/dom.ts';
import { useFocusFallback, useSnapshot } from './hooks.ts';
import { LevelMeter } from './LevelMeter.tsx';
import { useUnheardCause } from './Notices.tsx';
import { tellControls } from './on-top.ts';
import { pressOnce } from './press.ts';
import { useStrings } from './strings.tsx';
import { DiscardButton, PauseButton, StopButton } from './tools.tsx';

/** A wait this long is not commented. */
const STOP_WAITING_AFTER_MS = 2_000;

type RecordingBarProps = {
  readonly dictation: Dictation;
  /** Shows the level meter here. @default true */
  readonly hasLevelMeter?: boolean;
  /** Gets the focus when a button that has it goes: the text. @default nobody */
  readonly focusFallback?: HTMLElement | null;
  /** Wait in ms before "do not wait" is offered. @default 2,000 */
  readonly offeredAfterMs?: number;
};

/**
 * State of the dictation going on: heard or not, for how long, and buttons to pause, throw away and
 * end it. It is as high in every state.
 */
export function RecordingBar(props: RecordingBarProps) {
  const { dictation, hasLevelMeter = true, focusFallback = null } = props;
  const { offeredAfterMs = STOP_WAITING_AFTER_MS } = props;
  const strings = useStrings();
  const barRef = useRef<HTMLElement>(null);
  useFocusFallback(barRef, focusFallback);
  useLayoutEffect(standInTheWay, []);
  const phase = useSnapshot(dictation, ({ session }) => session.phase);
  const isPaused = phase === 'paused';
  const isRecording = phase === 'recording' || isPaused;
  const isUnheard = useUnheardCause(dictation) !== null;
  /** Before a button that has the keyboard's focus goes. */
  const leave = (): void => {
    const active = barRef.current && activeElementOf(barRef.current);
    if (barRef.current?.contains(active)) focusFallback?.focus({ preventScroll: true });
  };
  return (
    <section
      ref={barRef}
      className={`recording-bar ${isUnheard ? 'is-unheard' : ''}`}
      aria-label={strings.statusLabel}
      data-phase={phase}
      // A press must not take the caret out of the text.
      onMouseDown={(event) => event.preventDefault()}
      onKeyDown={pressOnce}
    >
      <div className="recording-seen">
        <Elapsed dictation={dictation} />
        <PhaseText dictation={dictation} />
        {hasLevelMeter && <LevelMeter dictation={dictation} />}
      </div>
      <div className="recording-actions">
        {isRecording && <PauseButton dictation={dictation} isPaused={isPaused} />}
        {(isRecording || phase === 'starting') && (
          <DiscardButton
            onDiscard={() => {
              leave();
              dictation.cancel();
            }}
          />
        )}
        {isRecording && (
          <StopButton
            isPaused={isPaused}
            onStop={() => {
              leave();
              void dictation.stop();
            }}
          />
        )}
        <StopWaiting
          dictation={dictation}
          isWaiting={phase === 'transcribing'}
          offeredAfterMs={offeredAfterMs}
        />
      </div>
      <MicrophoneAdvice dictation={dictation} />
    </section>
  );
}

/** Has the controls at the caret move out of the bar's way, and back once it is gone. */
function standInTheWay(): () => void {
  tellControls();
  // The bar is still in the page while React unmounts it.
  return () => queueMicrotask(tellControls);
}

type StopWaitingProps = {
  readonly dictation: Dictation;
  readonly isWaiting: boolean;
  readonly offeredAfterMs: number;
};

/** Offers to end a long wait; a quick answer comes before the offer. */
function StopWaiting({ dictation, isWaiting, offeredAfterMs }: StopWaitingProps) {
  const strings = useStrings();
  const helpId = useId();
  const isOffered = useLater(isWaiting, offeredAfterMs);
  if (!isOffered) return null;
  return (
    <>
      <span id={helpId} className="recording-wait">
        {strings.stopWaitingHelp}
      </span>
      <button
        type="button"
        className="tool is-outlined"
        aria-describedby={helpId}
        onClick={() => dictation.stopWaiting()}
      >
        {strings.stopWaiting}
      </button>
    </>
  );
}

function PhaseText({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings();
  const isUnheard = useUnheardCause(dictation) !== null;
  const phase = useSnapshot(dictation, ({ session }) => session.phase);
  return (
    <span className="recording-phase">
      {strings.phases[phase === 'recording' && isUnheard ? 'stalled' : phase]}
    </span>
  );
}

type CancelledBarProps = {
  readonly dictation: Dictation;
  /** Gets the focus when the bar goes with the focus in it: the text. @default nobody */
  readonly focusFallback?: HTMLElement | null;
};

/** In the place of the bar, for as long as what was thrown away can be had back. */
export function CancelledBar({ dictation, focusFallback = null }: CancelledBarProps) {
  const strings = useStrings();
  const barRef = useRef<HTMLElement>(null);
  useFocusFallback(barRef, focusFallback);
  useLayoutEffect(standInTheWay, []);
  return (
    <section
      ref={barRef}
      className="recording-bar"
      aria-label={strings.statusLabel}
      data-phase="cancelled"
      onMouseDown={(event) => event.preventDefault()}
    >
      <div className="recording-seen">
        <span className="recording-phase">{strings.cancelled}</span>
      </div>
      <div className="recording-actions">
        <button type="button" className="tool is-outlined" onClick={() => dictation.undoCancel()}>
          <Undo2 aria-hidden />
          <span>{strings.undo}</span>
        </button>
      </div>
    </section>
  );
}

/** Written past React, which would compare everything that hangs on a snapshot each second. */
export function Elapsed({ dictation }: { readonly dictation: Dictation }) {
  const time = useRef<HTMLTimeElement>(null);
  useLayoutEffect(() => {
    const show = (): void => {
      if (time.current) showSeconds(time.current, dictation.getSnapshot().session);
    };
    show();
    return dictation.subscribe(show);
  }, [dictation]);
  return <time ref={time} className="recording-time" />;
}

function showSeconds(time: HTMLTimeElement, { accumulatedRecordingMs }: SessionState): void {
  const seconds = Math.floor(accumulatedRecordingMs / 1_000);
  const shown = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  if (time.textContent === shown) return;
  // Changes the text node in place: a new node makes the browser match styles again.
  if (time.firstChild instanceof Text) time.firstChild.data = shown;
  else time.textContent = shown;
  time.dateTime = `PT${seconds}S`;
  // A fixed width, so that each second the browser lays out this element and nothing else.
  time.style.width = `${shown.length}ch`;
}

/** True when something has been wanted for so long; false at once when it no longer is. */
function useLater(isWanted: boolean, afterMs: number): boolean {
  const [isDue, setIsDue] = useState(false);
  useEffect(() => {
    if (!isWanted) return;
    const timer = setTimeout(() => setIsDue(true), afterMs);
    return () => {
      clearTimeout(timer);
      setIsDue(false);
    };
  }, [isWanted, afterMs]);
  return isWanted && isDue;
}

/**
 * Advice for a microphone with a problem, in one line; nothing without one.
 */
export function MicrophoneAdvice({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings();
  const problem = useSnapshot(dictation, ({ session, notices }) => {
    // A muted microphone has a notice of its own, which says more.
    const isMuted = notices.some(({ kind }) => kind === 'microphone-muted');
    return isMuted ? null : session.microphoneProblem;
  });
  return (
    <p className="microphone-advice" role="status" data-problem={problem ?? undefined}>
      {problem && strings.microphoneAdvice[problem]}
    </p>
  );
}
