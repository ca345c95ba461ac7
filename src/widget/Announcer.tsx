import { useRef } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { NOTHING_TOLD, tell } from './announcement.ts';
import { useSnapshot } from './use-snapshot.ts';
import { useWords } from './words.ts';

/** Tells a screen reader what changed, politely, and nothing while one speaks. */
export function Announcer({ dictation }: { readonly dictation: Dictation }) {
  const words = useWords();
  const told = useRef(NOTHING_TOLD);
  const announcement = useSnapshot(dictation, (snapshot) => {
    told.current = tell(told.current, snapshot);
    return told.current.announcement;
  });
  return (
    <div className="visually-hidden" role="status">
      {announcement && words.announcements[announcement]}
    </div>
  );
}
