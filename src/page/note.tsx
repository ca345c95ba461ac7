import { Check, ChevronDown, Copy, FileAudio, FilePlus2, Share, Trash2, Undo2 } from 'lucide-react';
import {
  type ChangeEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { copyText } from '../field/copy-text.ts';
import type { EditableField } from '../field/editable-field.ts';
import { typeText } from '../field/type-text.ts';
import { useFocusFallback, useSnapshot } from '../widget/hooks.ts';
import { whenText } from '../widget/said-in.ts';
import { useStrings } from '../widget/strings.tsx';
import { EARLIER_NOTES_KEY } from './draft.ts';
import { useLaterStrings } from './later-strings-en.ts';
import { opensNoKeyboard, pageAccount, pageStorage } from './settings.ts';

/** A note that was put away for the next one. */
export type EarlierNote = {
  readonly text: string;
  readonly savedAtMs: number;
  /** The writer's account: it is shown to no other. */
  readonly account: string | null;
};

/** The last action on the note, shown for a while. */
export type Told = {
  readonly what: 'copied' | 'notCopied' | 'begun' | 'cleared' | 'back' | 'forgotten';
  readonly undo?: () => void;
};

/** The note's state, for the foot of the page. */
export type NoteState = {
  readonly isEmpty: boolean;
  readonly told: Told | null;
  /** The newest first. */
  readonly earlier: readonly EarlierNote[];
  /** Files of sound that were opened, to become text in the note. */
  readonly files: readonly File[];
};

const MOST_EARLIER = 5;
/** More than anybody dictates, and less than makes a browser's storage full. */
const MOST_CHARACTERS = 200_000;
const TOLD_MS = 2_000;
/** As long as a cancelled dictation can be had back. */
const UNDO_MS = 10_000;
const HOUR_MS = 3_600_000;

const NEW_NOTE: NoteState = { isEmpty: true, told: null, earlier: [], files: [] };

/** The note in the page's field: its actions, and the notes before it. */
export type Note = ReturnType<typeof createNote>;

/** `keepHours` tells how long earlier notes are retained: as long as recordings are. */
export function createNote(ref: RefObject<EditableField | null>, keepHours: () => number) {
  let state = NEW_NOTE;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const set = (changes: Partial<NoteState>): void => {
    state = { ...state, ...changes };
    for (const listener of listeners) listener();
  };
  const tell = (told: Told): void => {
    clearTimeout(timer);
    set({ told });
    // A person needs time to undo, or to read a whole sentence.
    const isLong = told.undo !== undefined || told.what === 'notCopied';
    timer = setTimeout(() => set({ told: null }), isLong ? UNDO_MS : TOLD_MS);
  };
  // The blanks that part a dictation from the text around it belong to no note.
  const textNow = (): string => ref.current?.text().trim() ?? '';
  const refresh = (): void => {
    const isEmpty = textNow() === '';
    if (isEmpty !== state.isEmpty) set({ isEmpty });
  };
  const copy = (): Promise<boolean> =>
    copyText(textNow(), { clipboard: navigator.clipboard, log: console });

  const putAway = (text: string): void => {
    if (text === '' || keepHours() === 0) return;
    const kept = { text, savedAtMs: Date.now(), account: pageAccount() };
    const others = readEarlier(keepHours()).filter((each) => each.text !== text);
    store([kept, ...others].slice(0, MOST_EARLIER), keepHours());
    set({ earlier: readEarlier(keepHours()) });
  };
  /** In one step of the browser's own undo. */
  const replace = (text: string): void => {
    if (!ref.current) return;
    const { element } = ref.current;
    const isBorrowed = document.activeElement !== element && !opensNoKeyboard();
    if (isBorrowed) element.dataset.isQuiet = '';
    element.focus({ preventScroll: true });
    getSelection()?.selectAllChildren(element);
    typeText(element, text);
    if (!isBorrowed) return;
    // Neither a telephone's keyboard nor the toolbar is called up by this.
    element.blur();
    delete element.dataset.isQuiet;
  };
  /** Before what has been written since. */
  const bringBack = (text: string): void => {
    const since = textNow();
    replace(since === '' ? text : `${text}\n${since}`);
    tell({ what: 'back' });
  };

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getState: (): NoteState => state,
    /** The element that holds its text; null while there is none. */
    element: (): HTMLElement | null => ref.current?.element ?? null,
    /** Follows the field's text until the answer is called. */
    follow(): () => void {
      const observer = new MutationObserver(refresh);
      if (ref.current) observer.observe(ref.current.element, OBSERVED);
      const endEnd = ref.current ? keepEndSeen(ref.current.element) : () => {};
      refresh();
      set({ earlier: readEarlier(keepHours()) });
      return () => {
        observer.disconnect();
        endEnd();
      };
    },
    async copy() {
      tell({ what: (await copy()) ? 'copied' : 'notCopied' });
    },
    share() {
      // A person who closes the system's dialog has shared nothing, which is no error.
      void navigator.share?.({ text: textNow() }).catch(() => {});
    },
    /** Copies the note, puts it away and clears the field for the next one. */
    async begin() {
      const isCopied = await copy();
      // A text may have come while the browser asked, and a second press finds nothing.
      const text = textNow();
      if (text === '') return;
      putAway(text);
      replace('');
      tell({ what: isCopied ? 'begun' : 'cleared', undo: () => bringBack(text) });
    },
    /** Puts an earlier note into the field; the present one becomes an earlier one. */
    takeBack(earlier: EarlierNote) {
      const text = textNow();
      const others = readEarlier(keepHours()).filter((each) => each.text !== earlier.text);
      store(others, keepHours());
      putAway(text);
      set({ earlier: readEarlier(keepHours()) });
      replace(earlier.text);
      tell({ what: 'back' });
    },
    /** Files of sound or film are to become text in the note; others are left out. */
    open(files: Iterable<File>) {
      const heard = [...files].filter(maybeSound);
      if (heard.length > 0) set({ files: [...state.files, ...heard] });
    },
    /** Deletes the earlier notes, which can be undone for a while. */
    forgetEarlier() {
      const gone = readEarlier(keepHours());
      store([], keepHours());
      set({ earlier: [] });
      tell({
        what: 'forgotten',
        undo() {
          store([...readEarlier(keepHours()), ...gone].slice(0, MOST_EARLIER), keepHours());
          clearTimeout(timer);
          set({ earlier: readEarlier(keepHours()), told: null });
        },
      });
    },
  };
}

/** Browsers name no type for some of them, such as a recorder's. */
function maybeSound({ type }: File): boolean {
  return type === '' || /^(?:audio|video)\/|\/ogg$|octet-stream/.test(type);
}

/** A field that is made lower, by a line below it, still shows the end of its text if it did. */
function keepEndSeen(element: HTMLElement): () => void {
  let { clientHeight } = element;
  const sizes = new ResizeObserver(() => {
    const lowered = clientHeight - element.clientHeight;
    const { scrollHeight, scrollTop } = element;
    const wasAtEnd = scrollTop + clientHeight >= scrollHeight - 1;
    if (lowered > 0 && wasAtEnd) element.scrollTop = scrollHeight;
    clientHeight = element.clientHeight;
  });
  sizes.observe(element);
  return () => sizes.disconnect();
}

const OBSERVED = { childList: true, characterData: true, subtree: true };

/** The notes of this account. */
function readEarlier(keepHours: number): readonly EarlierNote[] {
  return readAll(keepHours).filter(isOwn);
}

const isOwn = ({ account }: EarlierNote): boolean => account === pageAccount();

function readAll(keepHours: number): readonly EarlierNote[] {
  const oldestMs = Date.now() - keepHours * HOUR_MS;
  try {
    const stored: unknown = JSON.parse(pageStorage()?.getItem(EARLIER_NOTES_KEY) ?? '[]');
    const notes = Array.isArray(stored) ? stored.filter(isNote) : [];
    return notes.filter(({ savedAtMs }) => savedAtMs > oldestMs);
  } catch {
    return [];
  }
}

function isNote(note: unknown): note is EarlierNote {
  const { text, savedAtMs, account } = Object(note) as Record<string, unknown>;
  const isOwned = account === null || typeof account === 'string';
  return typeof text === 'string' && typeof savedAtMs === 'number' && isOwned;
}

/** Has these in place of this account's; those of others stay for their time. */
function store(own: readonly EarlierNote[], keepHours: number): void {
  try {
    const fitting = own.filter(({ text }) => text.length <= MOST_CHARACTERS);
    const others = readAll(keepHours).filter((note) => !isOwn(note));
    pageStorage()?.setItem(EARLIER_NOTES_KEY, JSON.stringify([...fitting, ...others]));
  } catch {
    // A full or forbidden storage: the note is in the clipboard, and can be undone.
  }
}

type NoteProps = { readonly note: Note };

export function useNote(note: Note): NoteState {
  return useSyncExternalStore(note.subscribe, note.getState);
}

/** Has files chosen that are to become text; they may also be dropped on the page, or pasted. */
export function OpenFile({ note }: NoteProps) {
  const { open } = useLaterStrings().note;
  const chooser = useRef<HTMLInputElement>(null);
  useEffect(() => takeFiles(note), [note]);
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>): void => {
    note.open(currentTarget.files ?? []);
    // The same file may be chosen again.
    currentTarget.value = '';
  };
  return (
    <>
      <button
        type="button"
        className="tool open-file"
        title={open}
        onClick={() => chooser.current?.click()}
      >
        <FileAudio aria-hidden />
        <span className="tool-name">{open}</span>
      </button>
      <input
        ref={chooser}
        type="file"
        accept="audio/*,video/*"
        multiple
        hidden
        aria-label={open}
        onChange={choose}
      />
    </>
  );
}

/** Not in TypeScript's own list: only Chromium has it. */
type WithLaunchQueue = {
  readonly launchQueue?: {
    setConsumer(take: (launch: { readonly files?: readonly FileSystemFileHandle[] }) => void): void;
  };
};

/** Takes files that are dropped or pasted anywhere, until the answer is called. */
function takeFiles(note: Note): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const { dataset } = document.documentElement;
  const has = (data: DataTransfer | null): data is DataTransfer =>
    data?.types.includes('Files') === true;
  // A browser that opens the file itself would leave the page for it.
  const over = (event: DragEvent): void => {
    if (!has(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    dataset.isFileOver = '';
  };
  const end = (): void => void delete dataset.isFileOver;
  // The system opens them with the installed page; this tells once, whenever it is asked.
  (globalThis as WithLaunchQueue).launchQueue?.setConsumer(async ({ files = [] }) => {
    // One that has been moved away since does not keep the others out.
    const opened = files.map((file) => file.getFile().catch(() => []));
    if (!signal.aborted) note.open((await Promise.all(opened)).flat());
  });
  document.addEventListener('dragover', over, { signal });
  document.addEventListener(
    'dragleave',
    ({ relatedTarget }) => {
      if (relatedTarget === null) end();
    },
    { signal },
  );
  document.addEventListener(
    'drop',
    (event) => {
      end();
      if (!has(event.dataTransfer)) return;
      event.preventDefault();
      note.open(event.dataTransfer.files);
    },
    { signal, capture: true },
  );
  document.addEventListener(
    'paste',
    (event) => {
      const data = event.clipboardData;
      // A program that copies text may add its picture, or its sound.
      if (!has(data) || data.types.includes('text/plain')) return;
      event.preventDefault();
      note.open(data.files);
    },
    { signal, capture: true },
  );
  return () => {
    ending.abort();
    end();
  };
}

type FootToolProps = {
  readonly label: string;
  readonly icon: ReactNode;
  readonly isOff?: boolean;
  readonly onPress: () => void;
};

/** A button at the foot of the note. */
function FootTool({ label, icon, isOff = false, onPress }: FootToolProps) {
  return (
    <button
      type="button"
      className="tool"
      title={label}
      aria-disabled={isOff}
      onClick={() => {
        if (!isOff) onPress();
      }}
    >
      {icon}
      <span>{label}</span>
    </button>
  );
}

/** The buttons of the note: copy, share, new. */
export function NoteTools({ note }: NoteProps) {
  const { copy } = useStrings();
  const strings = useLaterStrings().note;
  const { isEmpty, told } = useNote(note);
  useEffect(() => note.follow(), [note]);
  return (
    <>
      <FootTool
        label={copy}
        icon={told?.what === 'copied' ? <Check aria-hidden /> : <Copy aria-hidden />}
        isOff={isEmpty}
        onPress={() => void note.copy()}
      />
      {'share' in navigator && (
        <FootTool
          label={strings.share}
          icon={<Share aria-hidden />}
          isOff={isEmpty}
          onPress={note.share}
        />
      )}
      <FootTool
        label={strings.fresh}
        icon={<FilePlus2 aria-hidden />}
        isOff={isEmpty}
        onPress={() => void note.begin()}
      />
    </>
  );
}

type ToldProps = NoteProps & {
  readonly dictation: Dictation;
  /** Said while there is nothing else to say. */
  readonly hint: string;
};

/** The last action with its undo: a dictation thrown away, a note cleared or copied. */
export function Told({ dictation, note, hint }: ToldProps) {
  const { cancelled, undo: undoName } = useStrings();
  const strings = useLaterStrings().note;
  const { told } = useNote(note);
  // The last action is the one to undo: a note is cleared after its dictations.
  const isCancelled = useSnapshot(dictation, ({ cancelled }) => cancelled !== null) && !told;
  const undo = isCancelled ? dictation.undoCancel : told?.undo;
  return (
    <>
      {!(told || isCancelled) && <span className="foot-hint">{hint}</span>}
      {/* The announcer tells of it. */}
      {isCancelled && <span className="foot-told">{cancelled}</span>}
      <span className={told ? 'foot-told' : 'visually-hidden'} data-told={told?.what} role="status">
        {told && strings.told[told.what]}
      </span>
      {undo && <UndoButton name={undoName} onPress={undo} text={note.element()} />}
    </>
  );
}

type UndoButtonProps = {
  readonly name: string;
  readonly onPress: () => void;
  /** Gets the focus when the button goes with it, pressed or too late. */
  readonly text: HTMLElement | null;
};

function UndoButton({ name, onPress, text }: UndoButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusFallback(button, text);
  return (
    <button ref={button} type="button" className="tool is-outlined foot-undo" onClick={onPress}>
      <Undo2 aria-hidden />
      <span>{name}</span>
    </button>
  );
}

/** Earlier notes, put away for a new one: each can be had back. Nothing where there is none. */
export function EarlierNotes({ note }: NoteProps) {
  const { earlier } = useNote(note);
  return earlier.length === 0 ? null : <EarlierList {...{ note, earlier }} />;
}

/** One that goes with the focus in it leaves that to the text. */
function EarlierList({ note, earlier }: NoteProps & Pick<NoteState, 'earlier'>) {
  const strings = useLaterStrings().earlier;
  const { lang } = useStrings();
  const list = useRef<HTMLDetailsElement>(null);
  useFocusFallback(list, note.element());
  const now = new Date();
  return (
    <details ref={list} className="disclosure earlier">
      <summary className="tool">
        <span>{strings.title}</span>
        <span className="dictation-count">{earlier.length}</span>
        <ChevronDown aria-hidden />
      </summary>
      {/* biome-ignore lint/a11y/noRedundantRoles: without its marks Safari takes it for no list. */}
      <ul role="list">
        {earlier.map((each) => {
          const time = whenText(lang, new Date(each.savedAtMs), now);
          return (
            <li key={each.savedAtMs}>
              <div className="dictation-content">
                <p className="dictation-words">{each.text}</p>
                <p className="dictation-facts">{time}</p>
              </div>
              <button
                type="button"
                className="tool is-outlined"
                aria-label={`${strings.takeBack}, ${time}`}
                onClick={() => note.takeBack(each)}
              >
                <Undo2 aria-hidden />
                <span>{strings.takeBack}</span>
              </button>
            </li>
          );
        })}
      </ul>
      <button type="button" className="tool" onClick={note.forgetEarlier}>
        <Trash2 aria-hidden />
        <span>{strings.forget}</span>
      </button>
    </details>
  );
}
