import { useEffect, useState } from 'react';
import { isBlank } from '../core/blank-text.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { SessionPhase, Snapshot } from '../core/session/snapshot.ts';
import { useStrings } from './strings.tsx';
import type { Strings } from './strings-sv.ts';

/** Key of a text for screen readers; null for silence. */
type Announcement = keyof Strings['announcements'] | null;

/** The current announcement, and the facts that the next one follows from. */
export type Told = {
  readonly announcement: Announcement;
  /** The dictation it is about. */
  readonly dictationId: string | null;
  /** Null while it is not over. */
  readonly hasText: boolean | null;
  /** The queue held some of it when it was looked at last. */
  readonly isQueued: boolean;
  readonly deliveredSamples: number;
};

export const NOTHING_TOLD: Told = {
  announcement: null,
  dictationId: null,
  hasText: null,
  isQueued: false,
  deliveredSamples: 0,
};

/**
 * The announcement after a change. A late text is announced when it has come, and never if it was
 * deleted meanwhile. Pure; the same snapshot twice changes nothing.
 */
export function tell(told: Told, snapshot: Snapshot): Told {
  const { session, ledger, cancelled } = snapshot;
  const { deliveredSamples } = ledger;
  if (cancelled !== null && (session.id === cancelled || session.phase === 'idle')) {
    return { ...NOTHING_TOLD, announcement: 'cancelled', deliveredSamples };
  }
  switch (session.phase) {
    case 'idle':
      return { ...told, ...tellEnd(told, snapshot), deliveredSamples };
    case 'stopped': {
      // The verdict about inserting comes when the session is over.
      const hasText = [...session.transcriptions.values()].some((text) => !isBlank(text));
      // A cancel that was undone: the text is on its way after all.
      const announcement = told.announcement === 'cancelled' ? 'transcribing' : told.announcement;
      return { ...told, announcement, dictationId: session.id, hasText, deliveredSamples };
    }
    default:
      return {
        announcement: ANNOUNCED_PHASES.includes(session.phase)
          ? (session.phase as Announcement)
          : null,
        dictationId: session.id,
        hasText: null,
        isQueued: false,
        deliveredSamples,
      };
  }
}

const ANNOUNCED_PHASES: readonly SessionPhase[] = [
  'recording',
  'paused',
  'finishing',
  'transcribing',
];

function tellEnd(told: Told, snapshot: Snapshot): Pick<Told, 'announcement' | 'isQueued'> {
  const { announcement, dictationId, hasText, isQueued, deliveredSamples } = told;
  if (dictationId === null) return { announcement: null, isQueued: false };
  const where = whereIs(dictationId, snapshot);
  if (where === 'later' || where === 'needsReview') return { announcement: where, isQueued: true };
  if (where === 'ready') {
    // A text that has just come is about to be inserted.
    return {
      announcement: announcement === 'later' ? null : announcement && 'ready',
      isQueued: true,
    };
  }
  if (isQueued) {
    const isInserted = snapshot.ledger.deliveredSamples > deliveredSamples;
    return { announcement: isInserted ? 'done' : null, isQueued: false };
  }
  if (announcement === 'transcribing' && hasText !== null) {
    return { announcement: hasText ? 'done' : 'nothing', isQueued: false };
  }
  // A recording that ended otherwise: what becomes of it is not known yet.
  return {
    announcement: announcement === 'done' || announcement === 'nothing' ? announcement : null,
    isQueued: false,
  };
}

/** The state in the queue of a dictation that is over. */
function whereIs(
  id: string,
  { queue, kept }: Snapshot,
): 'later' | 'ready' | 'needsReview' | 'nowhere' {
  const states = queue.items
    .filter(({ dictationId }) => dictationId === id)
    .map(({ state }) => state.kind);
  const isQueued = kept.some(({ dictationId }) => dictationId === id);
  if (isQueued || states.some((kind) => kind !== 'answered' && kind !== 'delivered'))
    return 'later';
  if (states.includes('answered')) return 'ready';
  return states.length > 0 ? 'needsReview' : 'nowhere';
}

/** Tells a screen reader what changed, politely, and nothing while one speaks. */
export function Announcer({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings();
  const [announcement, setAnnouncement] = useState(NOTHING_TOLD.announcement);
  useEffect(() => {
    let told = NOTHING_TOLD;
    const refresh = (): void => {
      told = tell(told, dictation.getSnapshot());
      setAnnouncement(told.announcement);
    };
    refresh();
    return dictation.subscribe(refresh);
  }, [dictation]);
  return (
    <div className="visually-hidden" role="status">
      {announcement && strings.announcements[announcement]}
    </div>
  );
}
