import { Check, type LucideIcon, RotateCw } from 'lucide-react';
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
  const tell = (what: Exclude<Done, null>, said: string): void => {
    confirm(what);
    say(named(said));
  };
  return {
    player,
    named,
    attempt,
    done,
    isFailed: failedIn === state.kind,
    async copy(text: string): Promise<boolean> {
      const isDone = await props.copy(text);
      if (isDone) tell('copied', copied);
      return isDone;
    },
    /** A text that waits is gone then; what needs review stays until the person has done with it. */
    async insert(text: string): Promise<boolean> {
      const isTaken = entry.isWaiting && state.kind !== 'review';
      const verdict = await (isTaken ? dictation.takeText(id, props.insert) : props.insert(text));
      if (verdict !== false) tell('inserted', strings.inserted);
      return verdict !== false;
    },
    async tryNow(): Promise<boolean> {
      for (const item of items) {
        const isDoubted = item.state.kind === 'doubted';
        if (state.kind === 'review' ? isDoubted : !('text' in item.state)) dictation.retry(item.id);
      }
      if (kept) await dictation.retryKept(id);
      return true;
    },
    again: (options: { readonly language?: string } = {}): Promise<boolean> =>
      dictation.recordings.transcribeAgain(id, options),
    async save(): Promise<boolean> {
      const file = await load();
      if (file) saveAudio(file, strings.fileName(sortableTime(new Date(entry.startedAtMs))));
      return file !== null;
    },
    async remove(): Promise<boolean> {
      if (hasBin(entry)) {
        props.onRemove();
        await dictation.recordings.delete(id);
      } else setIsAsking(true);
      return true;
    },
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

type ToolProps = {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly actions: Actions;
  readonly work: () => Promise<boolean>;
  readonly look?: string;
  /** It has just been done: said for a while. @default false */
  readonly isDone?: boolean;
  /** Only its picture is seen. @default false */
  readonly isSmall?: boolean;
};

/** A button that says which dictation it is for. */
export function Tool(props: ToolProps) {
  const { label, actions, work, look = '', isDone = false, isSmall = false } = props;
  const Icon = isDone ? Check : props.icon;
  return (
    <button
      type="button"
      className={`tool ${look} ${isDone ? 'is-done' : ''}`}
      title={isSmall ? label : undefined}
      aria-label={actions.named(label)}
      onClick={() => actions.attempt(work)}
    >
      <Icon aria-hidden />
      {!isSmall && <span>{label}</span>}
    </button>
  );
}

/** What buttons of a dictation take. */
export type ToolsProps = {
  readonly entry: ListedDictation;
  readonly actions: Actions;
};

/** Has it sent now, or what needs review written down anew. */
export function TryTool({ entry, actions, look }: ToolsProps & { readonly look?: string }) {
  const strings = useListStrings();
  return (
    <Tool
      label={entry.state.kind === 'review' ? strings.tryAgain : strings.tryNow}
      icon={RotateCw}
      actions={actions}
      work={actions.tryNow}
      {...(look === undefined ? {} : { look })}
    />
  );
}

/** The same, and where to ask for more. */
export type WithDictation = ToolsProps & { readonly dictation: Dictation };
