import { useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { NOTHING_TOLD, tell } from './announcement.ts';
import { useStrings } from './strings.ts';

/** Tells a screen reader what changed, politely, and nothing while one speaks. */
export function Announcer({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings();
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
      {announcement && strings.announcements[announcement]}
    </div>
  );
}
