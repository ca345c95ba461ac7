import { useMemo, useRef, useState } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import { lateItems, lateKept } from '../core/session/late-items.ts';
import { BinLine } from './BinLine.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { PanelClose } from './PanelClose.tsx';
import { removable, removalSummary } from './removal-summary.ts';
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
  const { waiting: strings, recent } = useStrings();
  const queue = useSnapshot(dictation, (snapshot) => snapshot.queue);
  const kept = useSnapshot(dictation, (snapshot) => snapshot.kept);
  const runningId = useSnapshot(dictation, ({ session }) => session.id);
  const awaited = useSnapshot(dictation, (snapshot) => snapshot.awaited);
  const [isAsking, setIsAsking] = useState(false);
  const [isFailed, setIsFailed] = useState(false);
  const [title, setTitle] = useState<HTMLElement | null>(null);
  const list = useSnapshot(dictation, ({ recordings }) => recordings.list);
  /** What was deleted here: it can be had back here, for as long as it lies in the bin. */
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const focusId = useRef<string | null>(null);
  const binned = useMemo(
    () =>
      list
        .filter(({ id, state }) => state.kind === 'in-bin' && removed.has(id))
        .map(({ id }) => id),
    [list, removed],
  );
  const remove = (ids: readonly string[]): void => {
    setRemoved(new Set([...removed, ...ids]));
    focusId.current = ids[0] ?? null;
  };
  const rows = useMemo(
    () =>
      waitingDictations(
        lateItems({ queue, awaited, session: { id: runningId } }),
        lateKept({ kept, session: { id: runningId } }),
        queue.isUnauthorised,
      ),
    [queue, kept, runningId, awaited],
  );
  const nowMs = useNow(COUNTDOWN_MS, rows.length > 0);
  if (rows.length === 0 && binned.length === 0) return null;
  return (
    <section translate="no" className="waiting" aria-labelledby="waiting-title">
      <div className="waiting-head">
        <h2 id="waiting-title" ref={setTitle} tabIndex={-1}>
          <span>{`${strings.title} `}</span>
          {rows.length > 0 && <span className="waiting-count">{rows.length}</span>}
        </h2>
        {rows.length > 0 && (
          <button type="button" className="tool is-quiet" onClick={() => setIsAsking(true)}>
            {strings.wipe}
          </button>
        )}
        {onClose && <PanelClose onClose={onClose} />}
      </div>
      {isFailed && <p role="alert">{strings.failed}</p>}
      <ul>
        {rows.map((waiting) => (
          <WaitingRow
            key={waiting.sessionId}
            waiting={waiting}
            dictation={dictation}
            nowMs={nowMs}
            hasBin={list.some(({ id }) => id === waiting.sessionId)}
            onRemove={() => remove([waiting.sessionId])}
            insert={insert}
            copy={copy}
          />
        ))}
      </ul>
      {binned.length > 0 && (
        <BinLine dictation={dictation} ids={binned} focusId={focusId} fallback={title} />
      )}
      {isAsking && (
        <ConfirmDialog
          title={strings.wipeTitle}
          warning={recent.removeAllWarning(removalSummary(dictation.getSnapshot(), 'wipe'))}
          confirm={strings.wipe}
          cancel={strings.cancel}
          onConfirm={() => {
            setIsFailed(false);
            remove(removable(dictation.getSnapshot()).map(({ id }) => id));
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
