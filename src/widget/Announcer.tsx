import { useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { NOTHING_TOLD, tell } from './announcement.ts';
import { useWords } from './words.ts';

/** Tells a screen reader what changed, politely, and nothing while one speaks. */
export function Announcer({ dictation }: { readonly dictation: Dictation }) {
  const words = useWords();
  const [announcement, setAnnouncement] = useState(NOTHING_TOLD.announcement);
  useEffect(() => {
    let told = NOTHING_TOLD;
    const look = (): void => {
      told = tell(told, dictation.getSnapshot());
      setAnnouncement(told.announcement);
    };
    look();
    return dictation.subscribe(look);
  }, [dictation]);
  return (
    <div className="visually-hidden" role="status">
      {announcement && words.announcements[announcement]}
    </div>
  );
}
