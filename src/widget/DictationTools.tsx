import {
  Check,
  Clipboard,
  Download,
  type LucideIcon,
  RotateCw,
  TextCursorInput,
  Trash2,
} from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import { hasBin, type ListedDictation } from '../core/session/dictations.ts';
import { saveAudio, sortableTime, useAudioPlayer } from './AudioPlayer.tsx';
import type { WantedFocus } from './Bin.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { COPY_CONFIRMATION_MS } from './CopyButton.tsx';
import { useListStrings } from './list-strings.ts';
import { useStrings } from './strings.ts';

/** What a row of the list is given. */
export type DictationRowProps = {
  readonly entry: ListedDictation;
  readonly dictation: Dictation;
  /** When it was made, in words: its name. */
  readonly timeText: string;
  /** For how long until the next try; ms since 1970. */
  readonly nowMs: number;
  /** Puts a text at the cursor, and says what became of it. */
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  readonly copy: (text: string) => Promise<boolean>;
  readonly focusId: WantedFocus;
  /** Gets the focus when the row goes by itself. */
  readonly fallback: HTMLElement | null;
  /** Tells a screen reader. */
  readonly say: (text: string) => void;
  /** Told that it is about to go to the bin. */
  readonly onRemove: () => void;
};

/** What can be done with a dictation. */
export type Actions = ReturnType<typeof useActions>;

/** What can be done with a dictation, and what became of it. */
export function useActions(props: DictationRowProps) {
  const { entry, dictation, timeText, say } = props;
  const { id, state, items, kept } = entry;
  const { copied } = useStrings();
  const strings = useListStrings();
  const [isAsking, setIsAsking] = useState(false);
  /** Where it stood when something failed: what was said of that is over when it has moved on. */
  const [failedIn, setFailedIn] = useState<ListedDictation['state']['kind'] | null>(null);
  const { done, confirm } = useDone();
  const isRecorded = entry.can.has('again');
  const load = useCallback(
    () => (isRecorded ? dictation.recordings.audio(id) : dictation.audio(id)),
    [dictation, id, isRecorded],
  );
  const player = useAudioPlayer(load);
  const named = (action: string): string => `${action}, ${timeText}`;

  /** Nothing here may fail in silence. */
  const attempt = (work: () => Promise<boolean>): void => {
    setFailedIn(null);
    work().then(
      (isDone) => setFailedIn(isDone ? null : state.kind),
      () => setFailedIn(state.kind),
    );
  };
  const tell = (what: Exclude<Done, null>, said: string): true => {
    confirm(what);
    say(named(said));
    return true;
  };
  const copy = async (text: string): Promise<boolean> =>
    (await props.copy(text)) && tell('copied', copied);
  /** A text that waits is gone then; what needs review stays until the person has done with it. */
  const insert = async (text: string): Promise<boolean> => {
    const isTaken = entry.isWaiting && state.kind !== 'review';
    const verdict = await (isTaken ? dictation.takeText(id, props.insert) : props.insert(text));
    return verdict !== false && tell('inserted', strings.inserted);
  };
  const tryNow = async (): Promise<boolean> => {
    for (const item of items) {
      const isDoubted = item.state.kind === 'doubted';
      if (state.kind === 'review' ? isDoubted : !('text' in item.state)) dictation.retry(item.id);
    }
    if (kept) await dictation.retryKept(id);
    return true;
  };
  const save = async (): Promise<boolean> => {
    const file = await load();
    if (file) saveAudio(file, strings.fileName(sortableTime(new Date(entry.startedAtMs))));
    return file !== null;
  };
  const remove = async (): Promise<boolean> => {
    if (hasBin(entry)) {
      props.onRemove();
      await dictation.recordings.delete(id);
    } else setIsAsking(true);
    return true;
  };
  const tool = (
    label: string,
    icon: LucideIcon,
    work: () => Promise<boolean>,
    isDone = false,
  ): ToolLook => ({ label, icon, isDone, name: named(label), onPress: () => attempt(work) });
  return {
    player,
    named,
    attempt,
    isFailed: failedIn === state.kind,
    insert: (given: GivenText) =>
      tool(strings.insert, TextCursorInput, () => given(insert), done === 'inserted'),
    copy: (given: GivenText) => tool(strings.copy, Clipboard, () => given(copy), done === 'copied'),
    tryNow: tool(state.kind === 'review' ? strings.tryAgain : strings.tryNow, RotateCw, tryNow),
    again: (options: { readonly language?: string } = {}) =>
      tool(strings.again, RotateCw, () => dictation.recordings.transcribeAgain(id, options)),
    save: tool(strings.download, Download, save),
    remove: tool(strings.remove, Trash2, remove),
    /** Asks before something goes that can't be had back. */
    question: isAsking && (
      <ConfirmDialog
        title={strings.removeTitle}
        warning={strings.removeWarning}
        confirm={strings.remove}
        cancel={strings.cancel}
        onConfirm={() => {
          for (const item of items) dictation.discard(item.id);
          if (kept) dictation.discardKept(id);
        }}
        onClose={() => setIsAsking(false)}
      />
    ),
  };
}

/** Gives a text, as soon as it has it. */
type GivenText = (use: (text: string) => Promise<boolean>) => Promise<boolean>;

/** What was just done with a text, said for as long as a copy is. */
type Done = 'copied' | 'inserted' | null;

function useDone(): { readonly done: Done; confirm(what: Done): void } {
  const [done, setDone] = useState<{ readonly what: Done }>({ what: null });
  useEffect(() => {
    if (done.what === null) return;
    const timer = setTimeout(() => setDone({ what: null }), COPY_CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [done]);
  return { done: done.what, confirm: useCallback((what) => setDone({ what }), []) };
}

/** A button: what it says and does. */
type ToolLook = {
  readonly label: string;
  readonly icon: LucideIcon;
  /** It has just been done: said for a while. */
  readonly isDone: boolean;
  /** Which dictation it is for, too. */
  readonly name: string;
  readonly onPress: () => void;
};

type ToolProps = ToolLook & {
  readonly look?: string;
  /** Only its picture is seen. @default false */
  readonly isSmall?: boolean;
};

/** A button that says which dictation it is for. */
export function Tool({ label, icon, isDone, name, onPress, look = '', isSmall }: ToolProps) {
  const Icon = isDone ? Check : icon;
  return (
    <button
      type="button"
      className={`tool ${look} ${isDone ? 'is-done' : ''}`}
      title={isSmall ? label : undefined}
      aria-label={name}
      onClick={onPress}
    >
      <Icon aria-hidden />
      {!isSmall && <span>{label}</span>}
    </button>
  );
}

/** What shows some of a row. */
export type PartProps = {
  readonly entry: ListedDictation;
  readonly dictation: Dictation;
  readonly actions: Actions;
};
