import type { Dictation } from '../core/dictation.ts';
import type { SessionPhase } from '../core/snapshot.ts';
import { STRINGS } from './strings.ts';
import { useSnapshot } from './use-snapshot.ts';

/** Tells a screen reader what changed, politely, and nothing while one speaks. */
export function Announcer({ dictation }: { readonly dictation: Dictation }) {
  const words = useSnapshot(dictation, ({ session }) => announcement(session.phase));
  return (
    <div className="visually-hidden" role="status">
      {words}
    </div>
  );
}

function announcement(phase: SessionPhase): string {
  const { announcements } = STRINGS;
  switch (phase) {
    case 'recording':
      return announcements.recording;
    case 'paused':
      return announcements.paused;
    case 'finishing':
      return announcements.finishing;
    case 'transcribing':
      return announcements.transcribing;
    case 'stopped':
      return announcements.done;
    default:
      return '';
  }
}
