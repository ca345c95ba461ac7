import { LoaderCircle, Mic, Square } from 'lucide-react';
import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { SessionPhase } from '../core/session/snapshot.ts';
import type { EditableField } from '../field/editable-field.ts';
import { useFocusFallback, useSnapshot } from '../widget/hooks.ts';
import { LevelMeter } from '../widget/LevelMeter.tsx';
import { useUnheardCause } from '../widget/Notices.tsx';
import type { FieldCommands } from '../widget/options.ts';
import { pressOnce } from '../widget/press.ts';
import { usePushToTalkTouch } from '../widget/push-to-talk.ts';
import { Elapsed } from '../widget/RecordingBar.tsx';
import { useStrings } from '../widget/strings.tsx';
import { DiscardButton, PauseButton } from '../widget/tools.tsx';
import { usePageStrings } from './page-strings.ts';

/** A wait this long is commented. */
const LONG_WAIT_MS = 2_000;

type NoteFootProps = {
  readonly dictation: Dictation;
  /** The field's; nothing until there is one. */
  readonly commands: RefObject<FieldCommands | null>;
  readonly field: RefObject<EditableField | null>;
  /** The last action with its undo, else a hint for beginners. */
  readonly told: ReactNode;
  /** The actions on the note: copy, share, new. */
  readonly tools: ReactNode;
  readonly pushToTalkKey: string;
  /** True if a tab must be chosen first: browsers allow asking for that only in a click. */
  readonly tabSound: boolean;
};

/**
 * The page's only microphone, always visible below the note, with the state and the actions on the
 * note. It keeps its size in every state.
 */
export function NoteFoot(props: NoteFootProps) {
  const { dictation, field, told, tools } = props;
  const { footLabel } = usePageStrings();
  const phase = useSnapshot(dictation, ({ session }) => session.phase);
  const isListening = phase === 'recording' || phase === 'paused';
  const isWriting = phase === 'finishing' || phase === 'transcribing';
  return (
    <section
      className="note-foot"
      translate="no"
      aria-label={footLabel}
      data-phase={phase}
      // A press must not take the caret out of the text.
      onMouseDown={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        pressOnce(event);
        // Nothing happens at rest.
        if (event.key === 'Escape') dictation.cancel();
      }}
    >
      <Microphone {...props} phase={phase} />
      <FootPart key={isWriting ? 'w' : `s${isListening}`} className="foot-state" field={field}>
        <State dictation={dictation} told={told} phase={phase} />
      </FootPart>
      <FootPart key={`t${isListening}`} className="foot-tools" field={field}>
        {isListening ? (
          <ListeningTools dictation={dictation} isPaused={phase === 'paused'} />
        ) : (
          tools
        )}
      </FootPart>
    </section>
  );
}

type FootPartProps = ComponentProps<'div'> & Pick<NoteFootProps, 'field'>;

/** One that goes with the focus in it leaves that to the text. */
function FootPart({ field, ...props }: FootPartProps) {
  const part = useRef<HTMLDivElement>(null);
  useFocusFallback(part, field.current?.element ?? null);
  return <div ref={part} {...props} />;
}

type MicrophoneProps = NoteFootProps & { readonly phase: SessionPhase };

/**
 * Starts a dictation and ends it, in one place. Both names stand in it and the phase shows one, as
 * does the page's first script before there is any of this.
 */
function Microphone({ commands, field, pushToTalkKey, tabSound, phase }: MicrophoneProps) {
  const { dictate, stop } = useStrings();
  const isListening = phase === 'recording' || phase === 'paused';
  const isOpening = phase === 'starting';
  const start = (): void => void commands.current?.start();
  const end = (): void => void commands.current?.stop();
  const touch = usePushToTalkTouch({
    mayStart: !tabSound,
    isOff: isOpening,
    isRecording: isListening,
    start,
    stop: end,
  });
  return (
    <button
      type="button"
      className="microphone tool-dictate"
      aria-busy={isOpening}
      aria-keyshortcuts={pushToTalkKey || undefined}
      onPointerDown={touch.onPointerDown}
      onContextMenu={touch.onContextMenu}
      onClick={(event) => {
        if (isOpening || touch.isUsedUp(event)) return;
        if (isListening) return end();
        // The caret shows where the words will stand. A finger's press brings up no keyboard.
        const { pointerType } = event.nativeEvent as globalThis.PointerEvent;
        if (pointerType === 'mouse') focusText(field.current);
        start();
      }}
    >
      <span className="microphone-start">
        <Mic aria-hidden />
        <span>{dictate}</span>
        {pushToTalkKey && <kbd aria-hidden>{pushToTalkKey}</kbd>}
      </span>
      <span className="microphone-wait">
        <LoaderCircle className="spinner" aria-hidden />
        <span>{dictate}</span>
      </span>
      <span className="microphone-stop">
        <Square aria-hidden />
        <span>{stop}</span>
        {pushToTalkKey && <kbd aria-hidden>{pushToTalkKey}</kbd>}
      </span>
    </button>
  );
}

/** Puts the caret where it was last, or at the end. */
function focusText(field: EditableField | null): void {
  if (!field || document.activeElement === field.element) return;
  const cursor = field.saveCursor();
  cursor?.release();
  field.element.focus({ preventScroll: true });
  if (cursor) return;
  getSelection()?.selectAllChildren(field.element);
  getSelection()?.collapseToEnd();
}

type StateProps = Pick<NoteFootProps, 'dictation' | 'told'> & { readonly phase: SessionPhase };

/** The state in one line. */
function State({ dictation, told, phase }: StateProps) {
  const strings = useStrings();
  const isUnheard = useUnheardCause(dictation) !== null;
  switch (phase) {
    case 'recording':
    case 'paused':
      return (
        <>
          <Elapsed dictation={dictation} />
          <span className={`foot-phase ${isUnheard ? 'is-unheard' : ''}`}>
            {strings.phases[phase === 'recording' && isUnheard ? 'stalled' : phase]}
          </span>
          <LevelMeter dictation={dictation} />
        </>
      );
    case 'starting':
      return <span className="foot-phase">{strings.phases.starting}</span>;
    case 'finishing':
    case 'transcribing':
      return <Writing dictation={dictation} />;
    default:
      return told;
  }
}

/** That the text is on its way; after a while, that nobody has to wait for it. */
function Writing({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings();
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), LONG_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <LoaderCircle className="spinner" aria-hidden />
      <span className="foot-phase">{strings.phases.transcribing}</span>
      {isLong && (
        <button
          type="button"
          className="tool is-outlined"
          title={strings.stopWaitingHelp}
          onClick={() => dictation.stopWaiting()}
        >
          {strings.stopWaiting}
        </button>
      )}
    </>
  );
}

type ListeningToolsProps = { readonly dictation: Dictation; readonly isPaused: boolean };

function ListeningTools({ dictation, isPaused }: ListeningToolsProps) {
  return (
    <>
      <PauseButton dictation={dictation} isPaused={isPaused} />
      <DiscardButton onDiscard={dictation.cancel} />
    </>
  );
}
