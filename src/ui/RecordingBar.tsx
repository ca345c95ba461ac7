import { Pause, Square } from 'lucide-react';
import type { Dictation } from '../core/dictation.ts';
import type { SessionState } from '../core/snapshot.ts';
import { LevelMeter } from './LevelMeter.tsx';
import { STRINGS } from './strings.ts';
import { useSnapshot } from './use-snapshot.ts';

/** What goes on while one dictates: heard or not, for how long, and how to pause or end it. */
export function RecordingBar({ dictation }: { readonly dictation: Dictation }) {
  const phase = useSnapshot(dictation, ({ session }) => session.phase);
  if (phase === 'idle' || phase === 'stopped') return null;
  const canAct = phase === 'recording' || phase === 'paused';
  const isPaused = phase === 'paused';
  return (
    <section className="recording-bar" aria-label={STRINGS.statusLabel} data-phase={phase}>
      <LevelMeter dictation={dictation} />
      <Elapsed dictation={dictation} />
      <PhaseWords dictation={dictation} />
      <span className="recording-actions">
        <button
          type="button"
          className="tool"
          aria-pressed={isPaused}
          disabled={!canAct}
          onClick={() => (isPaused ? dictation.resume() : dictation.pause())}
        >
          <Pause aria-hidden />
          {STRINGS.pause}
        </button>
        <button
          type="button"
          className="tool is-primary"
          disabled={!canAct}
          onClick={() => void dictation.stop()}
        >
          <Square aria-hidden />
          {STRINGS.stop}
        </button>
      </span>
    </section>
  );
}

function PhaseWords({ dictation }: { readonly dictation: Dictation }) {
  const words = useSnapshot(dictation, ({ session }) => phaseWords(session));
  const pending = useSnapshot(dictation, ({ session }) => session.pendingTranscriptions);
  return (
    <span className="recording-words">
      {words}
      {pending > 0 && <span className="recording-pending">{STRINGS.pending(pending)}</span>}
    </span>
  );
}

function phaseWords({ phase, isSpeaking }: SessionState): string {
  return STRINGS.phases[phase === 'recording' && isSpeaking ? 'speaking' : phase];
}

function Elapsed({ dictation }: { readonly dictation: Dictation }) {
  const seconds = useSnapshot(dictation, ({ session }) =>
    Math.floor(session.accumulatedRecordingMs / 1_000),
  );
  const minutes = Math.floor(seconds / 60);
  return (
    <time className="recording-time" dateTime={`PT${seconds}S`}>
      {minutes}:{String(seconds % 60).padStart(2, '0')}
    </time>
  );
}
