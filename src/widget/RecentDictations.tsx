import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import type { Recording } from '../core/recordings/recording.ts';
import { BinLine } from './BinLine.tsx';
import { PanelClose } from './PanelClose.tsx';
import { RecentRow } from './RecentRow.tsx';
import { RemoveAllButton } from './RemoveAllButton.tsx';
import { useStrings } from './strings.ts';
import { useNow } from './use-now.ts';
import { useSnapshot } from './use-snapshot.ts';

const MINUTE_MS = 60_000;
/** Rows shown at first, and more with each press: hundreds would keep a slow computer busy. */
const PAGE_ROWS = 20;

/** What `RecentDictations` takes. */
export type RecentDictationsProps = {
  readonly dictation: Dictation;
  /** Puts a text at the cursor, and says what became of it. */
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  readonly copy: (text: string) => Promise<boolean>;
  /** Whether its heading is seen; it is heard in any case. @default true */
  readonly isTitleShown?: boolean;
  /** Where it can be closed: does it. @default it stays */
  readonly onClose?: () => void;
};

/**
 * Every recording that is kept, newest first: to be played, copied, inserted, written down again,
 * saved and deleted. Deleted, it can be had back for half a minute.
 */
export function RecentDictations(props: RecentDictationsProps) {
  const { dictation, insert, copy, isTitleShown = true, onClose } = props;
  const { recent: strings } = useStrings();
  const titleId = useId();
  const { list, isLoaded, keeping, error } = useSnapshot(dictation, ({ recordings }) => recordings);
  const runningId = useSnapshot(dictation, ({ session }) => session.id);
  const [rowsWanted, setRowsWanted] = useState(PAGE_ROWS);
  const [said, setSaid] = useState('');
  const [title, setTitle] = useState<HTMLElement | null>(null);
  const focusId = useRef<string | null>(null);
  const now = new Date(useNow(MINUTE_MS, list.length > 0));
  const entries = useMemo(() => entriesOf(list), [list]);
  const shown = entries.slice(0, rowsWanted);
  const hidden = entries.length - shown.length;
  const count = list.filter(({ state }) => state.kind !== 'in-bin').length;

  // On a first visit nobody has asked for the worker that knows.
  useEffect(() => {
    if (!isLoaded) dictation.prepare();
  }, [isLoaded, dictation]);

  return (
    <section translate="no" className="waiting recent" aria-labelledby={titleId}>
      <div className="waiting-head">
        <h2
          id={titleId}
          ref={setTitle}
          tabIndex={-1}
          className={isTitleShown ? '' : 'visually-hidden'}
        >
          <span>{`${strings.title} `}</span>
          {count > 0 && <span className="waiting-count">{count}</span>}
        </h2>
        <RemoveAllButton
          dictation={dictation}
          // The newest of them stands in the line that offers them back.
          onRemove={(ids) => {
            focusId.current = ids[0] ?? null;
            setSaid(strings.removed(ids.length));
          }}
        />
        {onClose && <PanelClose onClose={onClose} />}
      </div>
      {error && <p className="recent-note">{strings.error}</p>}
      {isLoaded && keeping.keepRecordings === 0 && <p className="recent-note">{strings.notKept}</p>}
      {!isLoaded && !error && <p className="recent-note">{strings.loading}</p>}
      {isLoaded && list.length === 0 && keeping.keepRecordings > 0 && !error && (
        <p className="recent-note">{strings.none}</p>
      )}
      <ul>
        {shown.map((entry) =>
          'recording' in entry ? (
            <RecentRow
              key={entry.recording.id}
              recording={entry.recording}
              isOwn={entry.recording.id === runningId}
              dictation={dictation}
              timeText={strings.time(new Date(entry.recording.startedAtMs), now)}
              insert={insert}
              copy={copy}
              focusId={focusId}
              fallback={title}
              say={setSaid}
            />
          ) : (
            <li key={`bin ${entry.bin[0]?.id}`}>
              <BinLine
                dictation={dictation}
                ids={entry.bin.map(({ id }) => id)}
                of={strings.time(new Date(entry.bin[0]?.startedAtMs ?? 0), now)}
                focusId={focusId}
                fallback={title}
                onUndo={() => setSaid(strings.undone(entry.bin.length))}
              />
            </li>
          ),
        )}
      </ul>
      {hidden > 0 && (
        <button
          type="button"
          className="tool is-outlined recent-more"
          onClick={() => setRowsWanted(rowsWanted + PAGE_ROWS)}
        >
          {strings.more(Math.min(PAGE_ROWS, hidden))}
        </button>
      )}
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </section>
  );
}

/** A recording, or those beside each other that lie in the bin. */
type Entry = { readonly recording: Recording } | { readonly bin: Recording[] };

function entriesOf(list: readonly Recording[]): readonly Entry[] {
  const entries: Entry[] = [];
  for (const recording of list) {
    const last = entries.at(-1);
    if (recording.state.kind !== 'in-bin') entries.push({ recording });
    else if (last && 'bin' in last) last.bin.push(recording);
    else entries.push({ bin: [recording] });
  }
  return entries;
}
