import { ChevronDown, X } from 'lucide-react';
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import { dictationsOf, type ListedDictation } from '../core/session/dictations.ts';
import { BinLine, RemoveAllButton } from './Bin.tsx';
import { DictationRow } from './DictationRow.tsx';
import { useListStrings } from './dictation-words.ts';
import { useSnapshot } from './hooks.ts';
import { useStrings } from './strings.tsx';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Rows shown at first, and more with each press: hundreds would keep a slow computer busy. */
const PAGE_ROWS = 20;
/** Shorter lists have no search: their rows are seen at a glance. */
const SEARCHED_FROM = 6;

/** Props of `DictationList`. */
export type DictationListProps = {
  readonly dictation: Dictation;
  /** Puts a text at the cursor, and says what became of it. */
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  readonly copy: (text: string) => Promise<boolean>;
  /**
   * Shows those that wait, and folds the others away until they are wanted: others may see the
   * screen. 'open' begins unfolded. @default false
   */
  readonly folds?: boolean | 'open';
  /** Marks the words that may be misheard, where the engine tells that. @default true */
  readonly marksUnsure?: boolean;
  /** Gives the keyboard's focus to what unfolds it when it is first drawn. @default false */
  readonly takesFocus?: boolean;
  /** Closes the list. @default the list cannot be closed */
  readonly onClose?: () => void;
};

/**
 * Every dictation, once: on top those that wait for the network, the server or a person, the oldest
 * first; then the others, the newest first. Each can be played, copied, inserted, transcribed
 * again, saved and deleted, as far as it has sound or text. A deletion can be undone for half
 * a minute.
 */
export function DictationList(props: DictationListProps) {
  const { dictation, insert, copy, folds = false, takesFocus = false, onClose } = props;
  const { marksUnsure = true } = props;
  const strings = useListStrings();
  const { dictations } = useStrings();
  const titleId = useId();
  const entries = useDictations(dictation);
  const isLoaded = useSnapshot(dictation, ({ recordings }) => recordings.isLoaded);
  const [isOpen, setIsOpen] = useState(folds !== true);
  const [rowsWanted, setRowsWanted] = useState(PAGE_ROWS);
  const [search, setSearch] = useState('');
  const [said, setSaid] = useState('');
  const [title, setTitle] = useState<HTMLElement | null>(null);
  /** Dictations whose "undo" stands on top: deleted there, or all at once. */
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const focusId = useRef<string | null>(null);
  const summary = useRef<HTMLElement>(null);
  const isFound = useSearch(dictation, entries, search);
  const { waiting, topBin, recent } = useMemo(
    () => partsOf(entries.filter(isFound), removed),
    [entries, removed, isFound],
  );
  const hasCountdown = waiting.some(({ state }) => 'nextAttemptAtMs' in state);
  const nowMs = useNow(hasCountdown ? SECOND_MS : MINUTE_MS, entries.length > 0);
  const now = new Date(nowMs);
  const hasTop = waiting.length > 0 || topBin.length > 0;
  const count = recent.reduce((sum, row) => sum + ('bin' in row ? 0 : 1), 0);
  const isLine = folds !== false && !hasTop;
  const hidden = recent.length - rowsWanted;

  // On a first visit the worker, which knows the dictations, has not been started.
  useEffect(() => {
    if (!isLoaded && isOpen) dictation.prepare();
  }, [isLoaded, isOpen, dictation]);

  useLayoutEffect(() => {
    if (takesFocus) summary.current?.focus({ preventScroll: true });
  }, [takesFocus]);

  const timeOf = ({ startedAtMs }: ListedDictation): string =>
    strings.time(new Date(startedAtMs), now);
  const row = (entry: ListedDictation) => (
    <DictationRow
      key={entry.id}
      entry={entry}
      dictation={dictation}
      timeText={timeOf(entry)}
      nowMs={nowMs}
      insert={insert}
      copy={copy}
      marksUnsure={marksUnsure}
      focusId={focusId}
      fallback={title}
      say={setSaid}
      onRemove={() => {
        focusId.current = entry.id;
        const others = [...removed].filter((id) => id !== entry.id);
        setRemoved(new Set(entry.isWaiting ? [...others, entry.id] : others));
        setSaid(`${timeOf(entry)}: ${strings.removed(1)}`);
      }}
    />
  );
  const bin = (binned: readonly ListedDictation[]) => (
    <BinLine
      dictation={dictation}
      ids={binned.map(({ id }) => id)}
      of={timeOf(binned[0] as ListedDictation)}
      focusId={focusId}
      fallback={title}
      onUndo={() => setSaid(strings.undone(binned.length))}
    />
  );
  const recentRows = isOpen && (
    <div className="dictations-body">
      <Notes dictation={dictation} isEmpty={entries.length === 0} />
      {entries.length >= SEARCHED_FROM && (
        <input
          type="search"
          className="dictation-search"
          aria-label={strings.search}
          placeholder={strings.search}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      {search !== '' && recent.length === 0 && <p className="dictation-note">{strings.notFound}</p>}
      {recent.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: without its marks Safari takes it for no list.
        <ul role="list" className="recent" aria-label={strings.recent}>
          {recent
            .slice(0, rowsWanted)
            .map((each) =>
              'bin' in each ? <li key={`bin ${each.bin[0]?.id}`}>{bin(each.bin)}</li> : row(each),
            )}
        </ul>
      )}
      {hidden > 0 && (
        <button
          type="button"
          className="tool is-outlined dictation-more"
          onClick={() => setRowsWanted(rowsWanted + PAGE_ROWS)}
        >
          {strings.more(Math.min(PAGE_ROWS, hidden))}
        </button>
      )}
      <div className="dictations-foot">
        <RemoveAllButton
          dictation={dictation}
          // One line offers all of them back.
          onRemove={(ids) => {
            focusId.current = ids[0] ?? null;
            setRemoved(new Set(ids));
            setSaid(strings.removed(ids.length));
          }}
        />
      </div>
    </div>
  );

  return (
    <section
      translate="no"
      className={`dictations ${isLine ? 'is-folded' : ''}`}
      aria-labelledby={titleId}
    >
      <Head
        titleId={titleId}
        setTitle={setTitle}
        isHidden={isLine}
        count={waiting.length + (folds ? 0 : count)}
        {...(onClose && { onClose })}
      />
      {waiting.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: without its marks Safari takes it for no list.
        <ul role="list" className="waiting" aria-label={strings.waiting}>
          {waiting.map(row)}
        </ul>
      )}
      {topBin.length > 0 && bin(topBin)}
      {folds ? (
        <details
          className="disclosure"
          open={isOpen}
          onToggle={(event) => setIsOpen(event.currentTarget.open)}
        >
          <summary ref={summary} className="tool">
            <span>{hasTop ? strings.recent : dictations.title}</span>
            {count > 0 && <span className="dictation-count">{count}</span>}
            <ChevronDown aria-hidden />
          </summary>
          {recentRows}
        </details>
      ) : (
        <>
          {hasTop && recent.length > 0 && <h3>{strings.recent}</h3>}
          {recentRows}
        </>
      )}
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </section>
  );
}

type HeadProps = {
  readonly titleId: string;
  readonly setTitle: (title: HTMLElement | null) => void;
  /** It is heard, and not seen. */
  readonly isHidden: boolean;
  readonly count: number;
  readonly onClose?: () => void;
};

function Head({ titleId, setTitle, isHidden, count, onClose }: HeadProps) {
  const { dictations, dismiss } = useStrings();
  return (
    <div className="dictations-head">
      <h2 id={titleId} ref={setTitle} tabIndex={-1} className={isHidden ? 'visually-hidden' : ''}>
        <span>{`${dictations.title} `}</span>
        {count > 0 && <span className="dictation-count">{count}</span>}
      </h2>
      {onClose && (
        <button
          type="button"
          className="tool is-quiet dictations-close"
          aria-label={dismiss}
          onClick={onClose}
        >
          <X aria-hidden />
        </button>
      )}
    </div>
  );
}

type NotesProps = { readonly dictation: Dictation; readonly isEmpty: boolean };

/** Why nothing is listed, or kept. */
function Notes({ dictation, isEmpty }: NotesProps) {
  const strings = useListStrings();
  const { isLoaded, keeping, error } = useSnapshot(dictation, ({ recordings }) => recordings);
  const isKept = keeping.keepRecordings > 0;
  return (
    <>
      {error && <p className="dictation-note">{strings.error}</p>}
      {isLoaded && !isKept && <p className="dictation-note">{strings.notKept}</p>}
      {!isLoaded && !error && <p className="dictation-note">{strings.loading}</p>}
      {isLoaded && isEmpty && isKept && !error && <p className="dictation-note">{strings.none}</p>}
    </>
  );
}

function useDictations(dictation: Dictation): readonly ListedDictation[] {
  const queue = useSnapshot(dictation, (snapshot) => snapshot.queue);
  const kept = useSnapshot(dictation, (snapshot) => snapshot.kept);
  const awaited = useSnapshot(dictation, (snapshot) => snapshot.awaited);
  const cancelled = useSnapshot(dictation, (snapshot) => snapshot.cancelled);
  const recordings = useSnapshot(dictation, (snapshot) => snapshot.recordings);
  const id = useSnapshot(dictation, ({ session }) => session.id);
  return useMemo(
    () => dictationsOf({ queue, kept, awaited, cancelled, recordings, session: { id } }),
    [queue, kept, awaited, cancelled, recordings, id],
  );
}

/**
 * True for a dictation that waits, or whose texts have what is searched for. All texts are read when
 * somebody searches, and not before.
 */
function useSearch(
  dictation: Dictation,
  entries: readonly ListedDictation[],
  search: string,
): (entry: ListedDictation) => boolean {
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const isSearching = search !== '';
  useEffect(() => {
    if (!isSearching) return;
    let isOver = false;
    const read = async (): Promise<void> => {
      const all = new Map<string, string>();
      for (const { id } of entries) {
        const transcripts = await dictation.recordings.transcripts(id).catch(() => []);
        all.set(id, transcripts.map(({ text }) => text).join(' '));
      }
      if (!isOver) setTexts(all);
    };
    void read();
    return () => {
      isOver = true;
    };
  }, [dictation, entries, isSearching]);
  return useCallback(
    ({ id, words, isWaiting }) =>
      isWaiting ||
      `${words} ${texts.get(id) ?? ''}`.toLowerCase().includes(search.trim().toLowerCase()),
    [texts, search],
  );
}

/** A dictation, or those beside each other that lie in the bin. */
type RecentRow = ListedDictation | { readonly bin: ListedDictation[] };

function partsOf(entries: readonly ListedDictation[], removed: ReadonlySet<string>) {
  const waiting: ListedDictation[] = [];
  const topBin: ListedDictation[] = [];
  const recent: RecentRow[] = [];
  for (const entry of entries) {
    const last = recent.at(-1);
    if (entry.isWaiting) waiting.push(entry);
    else if (entry.state.kind !== 'in-bin') recent.push(entry);
    else if (removed.has(entry.id)) topBin.push(entry);
    else if (last && 'bin' in last) last.bin.push(entry);
    else recent.push({ bin: [entry] });
  }
  return { waiting, topBin, recent };
}

/** The time, ms since 1970, read every `everyMs` while it is wanted. */
function useNow(everyMs: number, isWanted: boolean): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!isWanted) return;
    const refresh = (): void => setNowMs(Date.now());
    refresh();
    const timer = setInterval(refresh, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isWanted]);
  return nowMs;
}
