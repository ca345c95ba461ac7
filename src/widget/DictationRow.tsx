import { ChevronDown, Ear, Mic, Pause, Play, VolumeX } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { heardText, joinTranscripts, textFlowOf } from '../core/queue/queue-item.ts';
import type { Recording, Transcript } from '../core/recordings/recording.ts';
import type { ListedDictation } from '../core/session/dictations.ts';
import { useWantedFocus } from './Bin.tsx';
import {
  type Actions,
  type DictationRowProps,
  type PartProps,
  SeekBar,
  Tool,
  useActions,
} from './dictation-actions.tsx';
import { languageChoices, stateText, useListStrings } from './dictation-words.ts';
import { fetchedLater } from './fetched-later.tsx';
import { Choice } from './fields.tsx';
import { useFocusFallback, useLatest, useSnapshot } from './hooks.ts';
import type { ListStrings } from './list-strings-sv.ts';
import { durationText } from './said-in.ts';
import { useStrings } from './strings.tsx';

/** One dictation: words, state and the most likely action; the rest when opened. */
export function DictationRow(props: DictationRowProps) {
  const { entry, dictation, timeText, focusId, fallback } = props;
  const { id, state, can } = entry;
  const strings = useListStrings();
  const { failed } = useStrings().dictations;
  const [isOpen, setIsOpen] = useState(false);
  const detailsId = useId();
  const row = useRef<HTMLLIElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useFocusFallback(row, fallback);
  useWantedFocus(opener, focusId, [id]);
  const actions = useActions(props);
  const whys = entry.needsReview.map((why) => strings.reviews[why]);
  if (state.kind === 'refused' && !entry.isWaiting) whys.push(strings.states.refused);
  const likely = isOpen ? null : likelyOf(entry, actions);
  const canOpen = can.has('delete');

  return (
    <li ref={row} data-dictation={id} data-state={state.kind}>
      <div className="dictation-head">
        <PlayButton entry={entry} actions={actions} />
        <Content {...props} isOpen={isOpen} />
        {whys.length === 0 && likely && <Tool {...likely} look="is-outlined dictation-likely" />}
        {!isOpen && <QuickTools entry={entry} dictation={dictation} actions={actions} />}
        {canOpen && (
          <button
            ref={opener}
            type="button"
            className="tool dictation-open"
            title={strings.details}
            aria-label={actions.named(strings.details)}
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
          {likely && <Tool {...likely} />}
        </div>
      )}
      {actions.isFailed && <p role="alert">{failed}</p>}
      <SeekBar player={actions.player} lengthMs={entry.lengthMs} of={timeText} />
      <div id={detailsId} hidden={!(isOpen && canOpen)}>
        {isOpen && canOpen && (
          <Details
            entry={entry}
            dictation={dictation}
            actions={actions}
            isMarked={props.marksUnsure}
          />
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

/** The most likely action; none for a delivered text, whose small buttons are enough. */
function likelyOf({ likely, isWaiting, text }: ListedDictation, actions: Actions) {
  if (likely === 'try') return actions.tryNow;
  if (likely === 'again') return actions.again();
  return isWaiting && likely === 'insert' ? actions.insert((use) => use(text)) : null;
}

/** Buttons that insert or copy the newest text, which is fetched when that is likely. */
function QuickTools({ entry, dictation, actions }: PartProps) {
  const newest = useNewestText(dictation, entry.recording);
  if (entry.isWaiting || !entry.can.has('copy')) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: whoever presses a button comes here first.
    <span className="dictation-quick" onPointerEnter={newest.prepare} onFocus={newest.prepare}>
      <Tool {...actions.insert(newest.use)} isSmall />
      <Tool {...actions.copy(newest.use)} isSmall />
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

/** Plays it; an icon in its place while it is recorded, or where it has no sound. */
function PlayButton({ entry, actions }: Omit<PartProps, 'dictation'>) {
  const { play } = useListStrings();
  const { player, named, attempt } = actions;
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
      aria-label={named(play)}
      aria-pressed={player.isPlaying}
      onClick={() => attempt(player.toggle)}
    >
      {player.isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
    </button>
  );
}

/** The text alone until what tells its words apart has come, and where that cannot be had. */
const WordsLater = fetchedLater(
  async () => (await import('./HeardWords.tsx')).MarkedText,
  ({ text }) => <p className="dictation-text">{text}</p>,
);

type WordsProps = Omit<DetailsProps, 'entry' | 'dictation'> & {
  readonly text: string;
  readonly times: Transcript['times'] | null;
};

/** A text that can be listened to from any of its words. */
function Words({ text, times, actions: { attempt, player }, isMarked }: WordsProps) {
  if (!times) return <p className="dictation-text">{text}</p>;
  const play = (ms: number): void => attempt(() => player.play(ms / 1_000));
  return <WordsLater text={text} times={times} isMarked={isMarked} onPlay={play} />;
}

type DetailsProps = PartProps & {
  /** Words that may be misheard are. */
  readonly isMarked: boolean;
};

/** All of its texts, one at a time, and all actions. */
function Details({ entry, dictation, actions, isMarked }: DetailsProps) {
  const strings = useListStrings();
  const { can, recording } = entry;
  const transcripts = useTranscripts(dictation, recording, actions.attempt);
  /** The number of the text looked at; null for the newest. */
  const [chosen, setChosen] = useState<number | null>(null);
  // A waiting dictation shows its own text; one that needs review shows all transcripts.
  const isOwn =
    entry.text !== '' && !(entry.state.kind === 'needs-review' && transcripts.length > 0);
  const at = chosen ?? transcripts.length - 1;
  const shown = transcripts[at];
  const text = isOwn ? entry.text : (shown?.text ?? '');
  const heard = isOwn ? heardIn(entry.items) : (shown?.heard ?? text);
  return (
    <div className="dictation-details">
      {!isOwn && transcripts.length > 1 && (
        <Choice
          label={strings.versions}
          value={String(at)}
          choices={transcripts
            .map((each, number) => [String(number), versionName(each, strings)] as const)
            .toReversed()}
          onChange={(number) => setChosen(Number(number))}
        />
      )}
      {text !== '' && (
        <Words
          text={text}
          times={isOwn ? null : shown?.times}
          actions={actions}
          isMarked={isMarked}
        />
      )}
      {heard !== text && <Heard heard={heard} named={actions.named} />}
      <div className="dictation-tools">
        {text !== '' && (can.has('insert') || !isOwn) && (
          <Tool {...actions.insert((use) => use(text))} />
        )}
        {text !== '' && <Tool {...actions.copy((use) => use(text))} />}
        {can.has('try') && <Tool {...actions.tryNow} />}
        {!entry.isWaiting && transcripts.length > 0 && (
          <Tool {...actions.applyRules} look="is-quiet" />
        )}
        {can.has('save') && <Tool {...actions.save} look="is-quiet" />}
        <Tool {...actions.remove} look="is-quiet" />
      </div>
      {can.has('again') && recording && (
        <Again recording={recording} dictation={dictation} actions={actions} />
      )}
    </div>
  );
}

/** The recogniser's words of a waiting text, before the text rules. */
function heardIn(items: ListedDictation['items']): string {
  const texts = items.flatMap(({ number, state }) =>
    'text' in state ? [[number, heardText(state)] as const] : [],
  );
  return joinTranscripts(new Map(texts), textFlowOf(items));
}

/** The text before the rules, when it is asked for. */
function Heard({ heard, named }: { readonly heard: string; readonly named: Actions['named'] }) {
  const strings = useListStrings();
  const [isShown, setIsShown] = useState(false);
  const id = useId();
  return (
    <>
      <button
        type="button"
        className="tool is-quiet"
        aria-label={named(strings.showHeard)}
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => setIsShown(!isShown)}
      >
        <Ear aria-hidden />
        <span>{strings.showHeard}</span>
      </button>
      <div id={id} hidden={!isShown}>
        <p className="dictation-facts">{strings.heard}</p>
        <p className="dictation-text">{heard}</p>
      </div>
    </>
  );
}

/** The texts, oldest first; fetched again when there is a new one. */
function useTranscripts(
  dictation: Dictation,
  recording: Recording | null,
  attempt: Actions['attempt'],
): readonly Transcript[] {
  const [texts, setTexts] = useState<readonly Transcript[]>([]);
  const attemptLatest = useLatest(attempt);
  const id = recording?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the list says of them has changed.
  useEffect(() => {
    if (id === undefined) return;
    let isOver = false;
    attemptLatest()(async () => {
      const found = await dictation.recordings.transcripts(id);
      if (!isOver) setTexts(found);
      return true;
    });
    return () => {
      isOver = true;
    };
  }, [dictation, id, recording?.transcripts, recording?.firstWords]);
  return texts;
}

function versionName({ atMs, by }: Transcript, strings: ListStrings): string {
  const time = strings.time(new Date(atMs), new Date());
  if (by.kind === 'first') return strings.versionOf(time, strings.firstVersion);
  if (by.kind === 'rules') return strings.versionOf(time, strings.ruledVersion);
  const language =
    by.language === '' ? strings.automaticLanguage('') : strings.languageName(by.language);
  return strings.versionOf(time, strings.newVersion(language));
}

const NO_LANGUAGES: readonly string[] = [];

type AgainProps = {
  readonly recording: Recording;
  readonly dictation: Dictation;
  readonly actions: Actions;
};

/** Transcribes the recording again, in one of the server's languages. */
function Again({ recording, dictation, actions }: AgainProps) {
  const strings = useListStrings();
  const [language, setLanguage] = useState(recording.options.language);
  const languages = useSnapshot(dictation, ({ server }) =>
    server.kind === 'ready' ? server.languages : NO_LANGUAGES,
  );
  return (
    <div className="dictation-again">
      <Choice
        label={strings.language}
        value={language}
        choices={languageChoices(languages, recording.options.language, strings)}
        onChange={setLanguage}
      />
      <Tool {...actions.again({ language })} look="is-outlined" />
    </div>
  );
}
