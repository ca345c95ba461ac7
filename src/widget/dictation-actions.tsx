import {
  Check,
  Clipboard,
  Download,
  type LucideIcon,
  RotateCw,
  TextCursorInput,
  Trash2,
  WandSparkles,
} from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { AUDIO_EXTENSIONS } from '../core/audio/audio-types.ts';
import type { AudioFile, DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import { isForReview, isWanting } from '../core/queue/queue-item.ts';
import { hasBin, type ListedDictation } from '../core/session/dictations.ts';
import type { WantedFocus } from './Bin.tsx';
import { useListStrings } from './dictation-words.ts';
import { ConfirmDialog } from './fields.tsx';
import { useStrings } from './strings.tsx';
import { COPY_CONFIRMATION_MS } from './tools.tsx';

/** Props of a row of the list. */
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
  /** Words that may be misheard are marked. */
  readonly marksUnsure: boolean;
  /** Tells a screen reader. */
  readonly say: (text: string) => void;
  /** Called before the dictation goes to the bin. */
  readonly onRemove: () => void;
};

export type Actions = ReturnType<typeof useActions>;

/** The actions of a dictation, each ready for a `Tool`, and their outcome. */
export function useActions(props: DictationRowProps) {
  const { entry, dictation, timeText, say } = props;
  const { id, state, items, kept } = entry;
  const { copied } = useStrings();
  const strings = useListStrings();
  const [isAsking, setIsAsking] = useState(false);
  /** The state in which an action failed: the message goes when the dictation has moved on. */
  const [failedIn, setFailedIn] = useState<ListedDictation['state']['kind'] | null>(null);
  const { done, confirm } = useDone();
  const isRecorded = entry.can.has('again');
  const load = useCallback(
    () => (isRecorded ? dictation.recordings.audio(id) : dictation.audio(id)),
    [dictation, id, isRecorded],
  );
  const player = useAudioPlayer(load);
  const named = (action: string): string => `${action}, ${timeText}`;

  /** Runs an action, and shows a failure. */
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
  /** Inserting takes a waiting text off the list; one that needs review stays until it is deleted. */
  const insert = async (text: string): Promise<boolean> => {
    const isTaken = entry.isWaiting && state.kind !== 'needs-review';
    const verdict = await (isTaken ? dictation.takeText(id, props.insert) : props.insert(text));
    return verdict !== false && tell('inserted', strings.inserted);
  };
  const tryNow = async (): Promise<boolean> => {
    for (const item of items) {
      const isMeant =
        state.kind === 'needs-review' ? isForReview(item.state) : isWanting(item.state);
      if (isMeant) dictation.retry(item.id);
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
    tryNow: tool(
      state.kind === 'needs-review' ? strings.tryAgain : strings.tryNow,
      RotateCw,
      tryNow,
    ),
    again: (options: { readonly language?: string } = {}) =>
      tool(strings.again, RotateCw, () => dictation.recordings.transcribeAgain(id, options)),
    applyRules: tool(
      done === 'ruled' ? strings.rulesApplied : strings.applyRules,
      WandSparkles,
      async () =>
        (await dictation.recordings.applyRules(id)) && tell('ruled', strings.rulesApplied),
      done === 'ruled',
    ),
    save: tool(strings.download, Download, save),
    remove: tool(strings.remove, Trash2, remove),
    /** The question before a deletion that cannot be undone. */
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

/** The last thing done with a text, confirmed for as long as a copy is. */
type Done = 'copied' | 'inserted' | 'ruled' | null;

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

/** Props of a part of a row. */
export type PartProps = {
  readonly entry: ListedDictation;
  readonly dictation: Dictation;
  readonly actions: Actions;
};

/** Pauses the player that plays: only one at a time. */
let holdOther: (() => void) | null = null;

/** A player of one file, which is fetched when it is first played; it ends with its component. */
function useAudioPlayer(load: () => Promise<AudioFile | null>) {
  const [isPlaying, setIsPlaying] = useState(false);
  const [atS, setAtS] = useState<number | null>(null);
  const audioRef = useRef<HTMLAudioElement | null>(null);
  const isLoading = useRef(false);
  const isGone = useRef(false);
  const wantedS = useRef<number | null>(null);

  const end = useCallback(() => {
    const audio = audioRef.current;
    audioRef.current = null;
    if (audio) {
      audio.pause();
      URL.revokeObjectURL(audio.src);
    }
    setIsPlaying(false);
    setAtS(null);
  }, []);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      end();
    };
  }, [end]);

  /** Plays from a time, else from the last position, or from the start after the end. */
  const play = useCallback(
    async (fromS?: number): Promise<boolean> => {
      wantedS.current = fromS ?? wantedS.current;
      // Pressed again before the file has come.
      if (isLoading.current) return true;
      isLoading.current = true;
      try {
        audioRef.current ??= audioOf(await load());
      } finally {
        isLoading.current = false;
      }
      const audio = audioRef.current;
      if (!audio) return false;
      if (isGone.current) {
        end();
        return true;
      }
      audio.onplay = () => {
        setIsPlaying(true);
        // WebKit tells the time only after a while.
        setAtS(audio.currentTime);
      };
      audio.onpause = () => setIsPlaying(false);
      audio.ontimeupdate = () => setAtS(audio.currentTime);
      if (wantedS.current !== null) audio.currentTime = wantedS.current;
      wantedS.current = null;
      holdOther?.();
      holdOther = () => audio.pause();
      try {
        await audio.play();
        return true;
      } catch (error) {
        // Held again before it began.
        if (error instanceof DOMException && error.name === 'AbortError') return true;
        end();
        return false;
      }
    },
    [load, end],
  );

  /** Plays, or pauses; false if it cannot. */
  const toggle = useCallback(async (): Promise<boolean> => {
    if (!audioRef.current || audioRef.current.paused) return play();
    audioRef.current.pause();
    return true;
  }, [play]);

  const seek = useCallback((toS: number) => {
    if (!audioRef.current) return;
    audioRef.current.currentTime = toS;
    setAtS(toS);
  }, []);

  return { isPlaying, atS, play, toggle, seek };
}

function audioOf(file: AudioFile | null): HTMLAudioElement | null {
  return file && new Audio(URL.createObjectURL(new Blob([file.bytes], { type: file.type })));
}

type SeekBarProps = {
  readonly player: ReturnType<typeof useAudioPlayer>;
  readonly lengthMs: number;
  /** Which dictation it belongs to, for those who only hear its name. */
  readonly of: string;
};

/** The player's position, which can be moved; nothing until the file was played. */
export function SeekBar({ player, lengthMs, of }: SeekBarProps) {
  const strings = useListStrings();
  if (player.atS === null) return null;
  const lengthS = lengthMs / 1_000;
  const atS = Math.min(player.atS, lengthS);
  const [at, all] = [clockText(atS), clockText(lengthS)];
  return (
    <div className="seek">
      <input
        type="range"
        aria-label={`${strings.seek}, ${of}`}
        aria-valuetext={strings.seekAt(at, all)}
        min={0}
        max={lengthS}
        // An arrow key moves by a second, or by a twentieth of a short file.
        step={Math.min(1, lengthS / 20)}
        value={atS}
        onChange={({ currentTarget }) => player.seek(currentTarget.valueAsNumber)}
      />
      <span aria-hidden>
        {at} / {all}
      </span>
    </div>
  );
}

/** Such as 0:07 and 1:02:03. */
function clockText(seconds: number): string {
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / 3_600);
  const minutes = String(Math.floor(whole / 60) % 60);
  const rest = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${minutes.padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** For the name of a file, in any language: such as 2026-03-01 09.30. */
function sortableTime(time: Date): string {
  return time.toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' }).replaceAll(':', '.');
}

/** Saves a file under a name, its extension added. */
function saveAudio({ type, bytes }: AudioFile, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.${AUDIO_EXTENSIONS[type]}`;
  link.click();
  // The download has the bytes by then; the address would keep them in memory.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
