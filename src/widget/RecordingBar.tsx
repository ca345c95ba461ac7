import { Pause, Square } from 'lucide-react';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { SessionState } from '../core/session/snapshot.ts';
import { useFocusFallback, useSnapshot } from './hooks.ts';
import { LevelMeter } from './LevelMeter.tsx';
import { useUnheardCause } from './Notices.tsx';
import { useStrings } from './strings.tsx';
import type { Strings } from './strings-sv.ts';

/** A wait this long is not commented. */
const STOP_WAITING_AFTER_MS = 2_000;

type RecordingBarProps = {
  readonly dictation: Dictation;
  /** Shows the level meter here. @default true */
  readonly hasLevelMeter?: boolean;
  /** Gets the focus if the bar goes with the focus in it: the text. @default nobody */
  readonly focusFallback?: HTMLElement | null;
  /** Wait in ms before "do not wait" is offered. @default 2,000 */
  readonly offeredAfterMs?: number;
};

/** State of the dictation going on: heard or not, for how long, and buttons to pause or end it. */
export function RecordingBar(props: RecordingBarProps) {
  const { dictation, hasLevelMeter = true, focusFallback = null } = props;
  const { offeredAfterMs = STOP_WAITING_AFTER_MS } = props;
  const strings = useStrings();
  const barRef = useRef<HTMLElement>(null);
  useFocusFallback(barRef, focusFallback);
  const phase = useSnapshot(dictation, ({ session }) => session.phase);
  const canAct = phase === 'recording' || phase === 'paused';
  const isPaused = phase === 'paused';
  const isUnheard = useUnheardCause(dictation) !== null;
  return (
    <section
      ref={barRef}
      className={`recording-bar ${isUnheard ? 'is-unheard' : ''}`}
      aria-label={strings.statusLabel}
      data-phase={phase}
    >
      <div className="recording-seen">
        <Elapsed dictation={dictation} />
        <PhaseText dictation={dictation} />
        {hasLevelMeter && <LevelMeter dictation={dictation} />}
      </div>
      <div className="recording-actions">
        <button
          type="button"
          className="tool"
          aria-pressed={isPaused}
          aria-disabled={!canAct}
          onClick={() => {
            if (canAct) isPaused ? dictation.resume() : dictation.pause();
          }}
        >
          <Pause aria-hidden />
          <span>{strings.pause}</span>
        </button>
        <button
          type="button"
          className="tool is-primary"
          aria-disabled={!canAct}
          onClick={() => {
            if (canAct) void dictation.stop();
          }}
        >
          <Square aria-hidden />
          <span>{strings.stop}</span>
        </button>
      </div>
      {phase !== 'starting' && <Progress dictation={dictation} />}
      <StopWaiting
        dictation={dictation}
        isWaiting={phase === 'transcribing'}
        offeredAfterMs={offeredAfterMs}
      />
      <MicrophoneAdvice dictation={dictation} />
    </section>
  );
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
    <p className="recording-wait">
      <span id={helpId}>{strings.stopWaitingHelp}</span>
      <button
        type="button"
        className="tool is-outlined"
        aria-describedby={helpId}
        onClick={() => dictation.stopWaiting()}
      >
        {strings.stopWaiting}
      </button>
    </p>
  );
}

function PhaseText({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings();
  const isUnheard = useUnheardCause(dictation) !== null;
  const seen = useSnapshot(dictation, ({ session: { phase, isSpeaking } }) =>
    phase === 'recording' && isSpeaking ? 'speaking' : phase,
  );
  const isHearing = seen === 'recording' || seen === 'speaking';
  return (
    <span className="recording-phase">
      {strings.phases[isHearing && isUnheard ? 'stalled' : seen]}
    </span>
  );
}

/** Counts of the parts that are on the disk and turned into text. */
function Progress({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings();
  const cut = useSnapshot(dictation, ({ session }) => session.chunkCounter);
  const done = useSnapshot(dictation, ({ session }) => session.transcriptions.size);
  const pending = useSnapshot(dictation, ({ session }) => session.pendingTranscriptions);
  const failed = useSnapshot(dictation, ({ session }) => session.failedChunks);
  const isSaved = useSnapshot(dictation, ({ notices }) =>
    notices.every(({ kind }) => kind !== 'storage-failed'),
  );
  const facts = progressText(strings, { cut, done, pending, failed, isSaved });
  return <p className="recording-progress">{facts.join(' · ')}</p>;
}

type ProgressFacts = {
  readonly cut: number;
  readonly done: number;
  readonly pending: number;
  readonly failed: number;
  readonly isSaved: boolean;
};

function progressText({ progress, pending: waiting }: Strings, facts: ProgressFacts): string[] {
  const said = [facts.isSaved ? progress.saved : progress.notSaved];
  if (facts.cut > 0) said.push(progress.sent(facts.done, facts.cut));
  if (facts.pending > 0) said.push(waiting(facts.pending));
  if (facts.failed > 0) said.push(progress.later(facts.failed));
  return said;
}

/** Written past React, which would compare everything that hangs on a snapshot each second. */
function Elapsed({ dictation }: { readonly dictation: Dictation }) {
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
function MicrophoneAdvice({ dictation }: { readonly dictation: Dictation }) {
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
