import { LoaderCircle, Mic } from 'lucide-react';
import type { SessionPhase } from '../core/snapshot.ts';
import { STRINGS } from './strings.ts';
import { Tooltip } from './Tooltip.tsx';

type DictateButtonProps = {
  readonly phase: SessionPhase;
  readonly onPress: () => void;
};

/** Starts and ends a recording. Its name never changes: `aria-pressed` tells the state. */
export function DictateButton({ phase, onPress }: DictateButtonProps) {
  const isBusy = phase === 'starting' || phase === 'finishing' || phase === 'transcribing';
  const isRecording = phase === 'recording' || phase === 'paused';
  return (
    <Tooltip label={STRINGS.dictate}>
      <button
        type="button"
        className={`tool tool-dictate ${isRecording ? 'is-destructive' : ''}`}
        aria-pressed={isRecording}
        aria-busy={isBusy}
        aria-disabled={isBusy}
        onClick={() => {
          if (!isBusy) onPress();
        }}
      >
        {isBusy ? <LoaderCircle className="spinner" aria-hidden /> : <Mic aria-hidden />}
        {STRINGS.dictate}
      </button>
    </Tooltip>
  );
}
