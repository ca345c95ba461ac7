import {
  ChevronDown,
  Copy,
  Mic,
  Pause,
  Play,
  RotateCw,
  TextCursorInput,
  VolumeX,
} from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { Recording } from '../core/recordings/recording.ts';
import type { ListedDictation } from '../core/session/dictations.ts';
import { type AudioPlayer, SeekBar } from './AudioPlayer.tsx';
import { useWantedFocus } from './Bin.tsx';
import { DictationDetails } from './DictationDetails.tsx';
import {
  type DictationRowProps,
  Tool,
  type ToolsProps,
  TryTool,
  useActions,
  type WithDictation,
} from './DictationTools.tsx';
import { stateText } from './dictation-words.ts';
import { Failed } from './fetched-later.tsx';
import { useListStrings } from './list-strings.ts';
import { durationText } from './said-in.ts';
import { useFocusFallback } from './use-focus-fallback.ts';

/** One dictation: its words, where it stands, what is done with it most; the rest when opened. */
export function DictationRow(props: DictationRowProps) {
  const { entry, dictation, timeText, focusId, fallback } = props;
  const { id, state, can } = entry;
  const strings = useListStrings();
  const [isOpen, setIsOpen] = useState(false);
  const detailsId = useId();
  const row = useRef<HTMLLIElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useFocusFallback(row, fallback);
  useWantedFocus(opener, focusId, [id]);
  const actions = useActions(props);
  const { player, attempt, named } = actions;
  const whys = entry.reviews.map((why) => strings.reviews[why]);
  if (state.kind === 'refused' && !entry.isWaiting) whys.push(strings.states.refused);
  const likely = !isOpen && (
    <LikelyTool entry={entry} actions={actions} isInHead={whys.length === 0} />
  );
  const canOpen = can.has('delete');

  return (
    <li ref={row} data-dictation={id} data-state={state.kind}>
      <div className="dictation-head">
        <PlayButton
          entry={entry}
          label={named(strings.play)}
          player={player}
          onToggle={() => attempt(player.toggle)}
        />
        <Content {...props} isOpen={isOpen} />
        {whys.length === 0 && likely}
        {!isOpen && <QuickTools entry={entry} dictation={dictation} actions={actions} />}
        {canOpen && (
          <button
            ref={opener}
            type="button"
            className="tool dictation-open"
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
      {whys.length > 0 && (
        <div className="dictation-why">
          {whys.map((why) => (
            <span key={why}>{why}</span>
          ))}
          {likely}
        </div>
      )}
      {actions.isFailed && <Failed />}
      <SeekBar player={player} lengthMs={entry.lengthMs} of={timeText} />
      <div id={detailsId} hidden={!(isOpen && canOpen)}>
        {isOpen && canOpen && (
          <DictationDetails entry={entry} dictation={dictation} actions={actions} />
        )}
      </div>
      {actions.question}
    </li>
  );
}

type ContentProps = Pick<DictationRowProps, 'entry' | 'timeText' | 'nowMs'> & {
  /** All of the text stands below. */
  readonly isOpen: boolean;
};

/** Its first words, or what it waits for, and when it was made. */
function Content({ entry, timeText, nowMs, isOpen }: ContentProps) {
  const strings = useListStrings();
  const { alone, beside } = stateText(entry, nowMs, strings);
  const isWordless = entry.words === '';
  return (
    <div className="dictation-content">
      {isWordless && <p className="dictation-words is-missing">{alone}</p>}
      {!isWordless && !isOpen && <p className="dictation-words">{entry.words}</p>}
      <p className="dictation-facts">
        <time dateTime={new Date(entry.startedAtMs).toISOString()}>{timeText}</time>
        {entry.lengthMs > 0 && <span>{durationText(entry.lengthMs)}</span>}
        {beside !== '' && !(isWordless && alone === beside) && (
          <span className="dictation-state">{beside}</span>
        )}
      </p>
    </div>
  );
}

/** What will most likely be wanted: of a text that is in, the small buttons are enough. */
function LikelyTool({ entry, actions, isInHead }: ToolsProps & { readonly isInHead: boolean }) {
  const strings = useListStrings();
  const look = isInHead ? 'is-outlined dictation-likely' : '';
  switch (entry.likely) {
    case 'try':
      return <TryTool entry={entry} actions={actions} look={look} />;
    case 'again':
      return (
        <Tool
          label={strings.again}
          icon={RotateCw}
          actions={actions}
          work={() => actions.again()}
          look={look}
        />
      );
    case 'insert':
      return (
        entry.isWaiting && (
          <Tool
            label={strings.insert}
            icon={TextCursorInput}
            actions={actions}
            work={() => actions.insert(entry.text)}
            look={look}
            isDone={actions.done === 'inserted'}
          />
        )
      );
    default:
      return null;
  }
}

/** The newest text of a recording into the field, or copied; it is fetched when that is likely. */
function QuickTools({ entry, dictation, actions }: WithDictation) {
  const strings = useListStrings();
  const newest = useNewestText(dictation, entry.recording);
  if (entry.isWaiting || !entry.can.has('copy')) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: whoever presses a button comes here first.
    <span className="dictation-quick" onPointerEnter={newest.prepare} onFocus={newest.prepare}>
      <Tool
        label={strings.insert}
        icon={TextCursorInput}
        actions={actions}
        work={() => newest.use(actions.insert)}
        isDone={actions.done === 'inserted'}
        isSmall
      />
      <Tool
        label={strings.copy}
        icon={Copy}
        actions={actions}
        work={() => newest.use(actions.copy)}
        isDone={actions.done === 'copied'}
        isSmall
      />
    </span>
  );
}

/** The newest text of a recording, fetched when it is likely to be wanted. */
function useNewestText(dictation: Dictation, recording: Recording | null) {
  const ready = useRef<{ readonly version: string; readonly text: string } | null>(null);
  const version = recording && `${recording.transcripts} ${recording.firstWords}`;
  const fetch = async (): Promise<string> => {
    if (recording === null || version === null) return '';
    const text = (await dictation.recordings.transcripts(recording.id)).at(-1)?.text ?? '';
    ready.current = { version, text };
    return text;
  };
  return {
    prepare(): void {
      if (ready.current?.version !== version) fetch().catch(() => {});
    },
    /** With the text at hand, `use` is called within the press: Safari lets nothing copy later. */
    use: async (use: (text: string) => Promise<boolean>): Promise<boolean> =>
      use(ready.current?.version === version ? ready.current.text : await fetch()),
  };
}

type PlayButtonProps = {
  readonly entry: ListedDictation;
  readonly label: string;
  readonly player: AudioPlayer;
  readonly onToggle: () => void;
};

/** Plays it; a mark in its place where it is being recorded, or there is no sound of it. */
function PlayButton({ entry, label, player, onToggle }: PlayButtonProps) {
  if (!entry.can.has('play')) {
    const isLive = entry.state.kind === 'recording';
    return (
      <span className={`dictation-still ${isLive ? 'is-live' : ''}`}>
        {isLive ? <Mic aria-hidden size={20} /> : <VolumeX aria-hidden size={20} />}
      </span>
    );
  }
  return (
    <button
      type="button"
      className="tool is-outlined dictation-play"
      aria-label={label}
      aria-pressed={player.isPlaying}
      onClick={onToggle}
    >
      {player.isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
    </button>
  );
}
