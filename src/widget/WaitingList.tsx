import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import { lateItems, lateKept } from '../core/session/late-items.ts';
import { IDLE_SESSION } from '../core/session/snapshot.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { useStrings } from './strings.ts';
import { useNow } from './use-now.ts';
import { useSnapshot } from './use-snapshot.ts';
import { WaitingRow } from './WaitingRow.tsx';
import { waitingDictations } from './waiting-dictations.ts';

const COUNTDOWN_MS = 1_000;

/** What `WaitingList` takes. */
export type WaitingListProps = {
  readonly dictation: Dictation;
  /** Puts a text at the cursor, and says what became of it. */
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  readonly copy: (text: string) => Promise<boolean>;
  /** Where it can be closed: does it. @default it stays */
  readonly onClose?: () => void;
};

/** Speech that is not yet in the user's hands: waiting to be sent, or text that came late. */
export function WaitingList({ dictation, insert, copy, onClose }: WaitingListProps) {
  const { waiting: strings, dismiss } = useStrings();
  const queue = useSnapshot(dictation, (snapshot) => snapshot.queue);
  const kept = useSnapshot(dictation, (snapshot) => snapshot.kept);
  const runningId = useSnapshot(dictation, ({ session }) => session.id);
  const [isAsking, setIsAsking] = useState(false);
  const [isFailed, setIsFailed] = useState(false);
  const rows = useMemo(
    () =>
      waitingDictations(
        lateItems({ queue, session: { ...IDLE_SESSION, id: runningId } }),
        lateKept({ kept, session: { ...IDLE_SESSION, id: runningId } }),
        queue.isUnauthorised,
      ),
    [queue, kept, runningId],
  );
  const nowMs = useNow(COUNTDOWN_MS, rows.length > 0);
  if (rows.length === 0) return null;
  return (
    <section className="waiting" aria-labelledby="waiting-title">
      <div className="waiting-head">
        <h2 id="waiting-title">
          {strings.title} <span className="waiting-count">{rows.length}</span>
        </h2>
        <button type="button" className="tool is-quiet" onClick={() => setIsAsking(true)}>
          {strings.wipe}
        </button>
        {onClose && (
          <button
            type="button"
            className="tool is-quiet waiting-close"
            aria-label={dismiss}
            onClick={onClose}
          >
            <X aria-hidden />
          </button>
        )}
      </div>
      {isFailed && <p role="alert">{strings.failed}</p>}
      <ul>
        {rows.map((waiting) => (
          <WaitingRow
            key={waiting.sessionId}
            waiting={waiting}
            dictation={dictation}
            nowMs={nowMs}
            insert={insert}
            copy={copy}
          />
        ))}
      </ul>
      {isAsking && (
        <ConfirmDialog
          title={strings.wipeTitle}
          warning={strings.wipeWarning}
          confirm={strings.wipe}
          cancel={strings.cancel}
          onConfirm={() => {
            setIsFailed(false);
            dictation.wipe().then(
              () => {},
              () => setIsFailed(true),
            );
          }}
          onClose={() => setIsAsking(false)}
        />
      )}
    </section>
  );
}
