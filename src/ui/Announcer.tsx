import { useRef } from 'react';
import type { Dictation } from '../core/dictation.ts';
import type { SessionPhase } from '../core/snapshot.ts';
import { useSnapshot } from './use-snapshot.ts';
import { useWords, type Words } from './words.ts';

/** Tells a screen reader what changed, politely, and nothing while one speaks. */
export function Announcer({ dictation }: { readonly dictation: Dictation }) {
  const words = useWords();
  const phase = useSnapshot(dictation, ({ session }) => session.phase);
  const failed = useSnapshot(dictation, ({ session }) => session.failedChunks);
  const last = useRef('');
  // A fresh recorder is no news: what was said last stays to be read.
  if (phase !== 'idle') last.current = announcement(words, phase, failed > 0);
  return (
    <div className="visually-hidden" role="status">
      {last.current}
    </div>
  );
}

function announcement({ announcements }: Words, phase: SessionPhase, hasFailed: boolean): string {
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
      return hasFailed ? announcements.later : announcements.done;
    default:
      return '';
  }
}
