import { Check, ChevronDown, Copy, TextCursorInput } from 'lucide-react';
import { useCallback, useId, useRef, useState } from 'react';
import { samplesToMs } from '../core/audio/audio-format.ts';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import type { Recording } from '../core/recordings/recording.ts';
import { RecentDetails } from './RecentDetails.tsx';
import { RecentDoubt } from './RecentDoubt.tsx';
import { RecentPlay } from './RecentPlay.tsx';
import { RecordingMark } from './RecordingMark.tsx';
import { SeekBar } from './SeekBar.tsx';
import { durationText } from './said-in.ts';
import { useStrings } from './strings.ts';
import type { Strings } from './strings-sv.ts';
import { useAudioPlayer } from './use-audio-player.ts';
import { useDone } from './use-done.ts';
import { useFocusFallback } from './use-focus-fallback.ts';
import { useWantedFocus, type WantedFocus } from './use-wanted-focus.ts';

type RecentRowProps = {
  readonly recording: Recording;
  /** It is being made in this tab. */
  readonly isOwn: boolean;
  readonly dictation: Dictation;
  /** When it was made, in words: its name. */
  readonly timeText: string;
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  readonly copy: (text: string) => Promise<boolean>;
  readonly focusId: WantedFocus;
  /** Gets the focus when the row goes by itself. */
  readonly fallback: HTMLElement | null;
  /** Tells a screen reader. */
  readonly say: (text: string) => void;
};

/** One recording: its first words, and what is done with it most; the rest when it is opened. */
export function RecentRow(props: RecentRowProps) {
  const { recording, isOwn, dictation, timeText, insert, copy, focusId, fallback, say } = props;
  const { id, state } = recording;
  const { recent: strings, waiting, copied } = useStrings();
  const [isOpen, setIsOpen] = useState(false);
  const [isFailed, setIsFailed] = useState(false);
  const { done, confirm } = useDone();
  const detailsId = useId();
  const row = useRef<HTMLLIElement>(null);
  /** The newest text, fetched when it is likely to be wanted. */
  const ready = useRef<{ readonly version: string; readonly text: string } | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useFocusFallback(row, fallback);
  useWantedFocus(opener, focusId, [id]);
  const load = useCallback(() => dictation.recordings.audio(id), [dictation, id]);
  const player = useAudioPlayer(load);
  const lengthMs = samplesToMs(recording.durationSamples);
  const hasWords = recording.firstWords !== '';
  const isMade = state.kind !== 'recording';
  const named = (action: string): string => `${action}, ${timeText}`;

  /** Nothing here may fail in silence. */
  const attempt = (work: () => Promise<boolean>): void => {
    setIsFailed(false);
    work().then(
      (isDone) => setIsFailed(!isDone),
      () => setIsFailed(true),
    );
  };
  const version = `${recording.transcripts} ${recording.firstWords}`;
  const newestText = async (): Promise<string> => {
    const text = (await dictation.recordings.transcripts(id)).at(-1)?.text ?? '';
    ready.current = { version, text };
    return text;
  };
  /** With the text at hand, `use` is called within the press: Safari lets nothing copy later. */
  const withNewest = async (use: (text: string) => Promise<boolean>): Promise<boolean> =>
    use(ready.current?.version === version ? ready.current.text : await newestText());
  const prepare = (): void => {
    if (ready.current?.version !== version) newestText().catch(() => {});
  };
  const copyText = async (text: string): Promise<boolean> => {
    const isDone = await copy(text);
    if (isDone) {
      confirm('copied');
      say(named(copied));
    }
    return isDone;
  };
  const insertText = async (text: string): Promise<boolean> => {
    const isDone = (await insert(text)) !== false;
    if (isDone) {
      confirm('inserted');
      say(named(strings.inserted));
    }
    return isDone;
  };
  const again = (language?: string): Promise<boolean> =>
    dictation.recordings.transcribeAgain(id, language === undefined ? {} : { language });

  return (
    <li ref={row} data-recording={id} data-state={state.kind}>
      <div className="recent-head">
        <RecentPlay
          recording={recording}
          of={timeText}
          player={player}
          onToggle={() => attempt(player.toggle)}
        />
        <div className="waiting-content">
          {/* Opened, all of the text stands below. */}
          {!(isOpen && hasWords) && (
            <p className={`waiting-text ${hasWords ? '' : 'is-missing'}`}>
              {wordsOf(recording, strings)}
            </p>
          )}
          <p className="waiting-facts">
            <time dateTime={new Date(recording.startedAtMs).toISOString()}>{timeText}</time>
            {lengthMs > 0 && <span>{durationText(lengthMs)}</span>}
            <RecordingMark recording={recording} isOwn={isOwn} />
          </p>
        </div>
        {isMade && !isOpen && hasWords && (
          // biome-ignore lint/a11y/noStaticElementInteractions: whoever presses a button comes here first.
          <span className="recent-quick" onPointerEnter={prepare} onFocus={prepare}>
            <button
              type="button"
              className={`tool ${done === 'inserted' ? 'is-done' : ''}`}
              title={waiting.insert}
              aria-label={named(waiting.insert)}
              onClick={() => attempt(() => withNewest(insertText))}
            >
              {done === 'inserted' ? <Check aria-hidden /> : <TextCursorInput aria-hidden />}
            </button>
            <button
              type="button"
              className={`tool ${done === 'copied' ? 'is-done' : ''}`}
              title={waiting.copy}
              aria-label={named(waiting.copy)}
              onClick={() => attempt(() => withNewest(copyText))}
            >
              {done === 'copied' ? <Check aria-hidden /> : <Copy aria-hidden />}
            </button>
          </span>
        )}
        {isMade && (
          <button
            ref={opener}
            type="button"
            className="tool recent-open"
            title={strings.details}
            aria-label={named(strings.details)}
            aria-expanded={isOpen}
            aria-controls={detailsId}
            onClick={() => setIsOpen(!isOpen)}
          >
            <ChevronDown aria-hidden />
          </button>
        )}
      </div>
      <RecentDoubt recording={recording} of={timeText} onAgain={() => attempt(() => again())} />
      {isFailed && <p role="alert">{waiting.failed}</p>}
      <SeekBar player={player} lengthMs={lengthMs} of={timeText} />
      <div id={detailsId} hidden={!(isOpen && isMade)}>
        {isOpen && isMade && (
          <RecentDetails
            recording={recording}
            dictation={dictation}
            timeText={timeText}
            load={load}
            insert={insertText}
            copy={copyText}
            done={done}
            again={again}
            attempt={attempt}
            onRemove={() => {
              focusId.current = id;
              say(`${timeText}: ${strings.removed(1)}`);
            }}
          />
        )}
      </div>
    </li>
  );
}

function wordsOf({ firstWords, state }: Recording, strings: Strings['recent']): string {
  if (firstWords !== '') return firstWords;
  return state.kind === 'delivered' ? strings.noWords : strings.noText;
}
