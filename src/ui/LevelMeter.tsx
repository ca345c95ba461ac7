import type { Dictation } from '../core/dictation.ts';
import { useSnapshot } from './use-snapshot.ts';

/** From barely audible to full scale: what the meter spans. */
const QUIETEST_DBFS = -60;
const STEPS = 20;

/** How loud it is, and whether it is heard as speech. For the eye only: its words are beside it. */
export function LevelMeter({ dictation }: { readonly dictation: Dictation }) {
  const isSpeaking = useSnapshot(dictation, ({ session }) => session.isSpeaking);
  const step = useSnapshot(dictation, ({ session }) => levelStep(session.levelDbfs));
  return (
    <div className={`meter ${isSpeaking ? 'is-speaking' : ''}`} aria-hidden>
      <div className="meter-bar" style={{ transform: `scaleX(${step / STEPS})` }} />
    </div>
  );
}

/** In whole steps, so that small changes draw nothing. */
function levelStep(levelDbfs: number): number {
  const share = (levelDbfs - QUIETEST_DBFS) / -QUIETEST_DBFS;
  return Math.round(Math.min(1, Math.max(0, share)) * STEPS);
}
