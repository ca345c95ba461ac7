import { Undo2 } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useSyncExternalStore } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { copyText } from '../field/copy-text.ts';
import { isScope } from '../field/dom.ts';
import type { EditableField } from '../field/editable-field.ts';
import { CaretToolbar } from './CaretToolbar.tsx';
import { fetchedLater } from './fetched-later.tsx';
import { useDrawnLater } from './hooks.ts';
import { useSilenceAlarm } from './Notices.tsx';
import { type DictationChoices, type FieldCommands, recordingOptionsOf } from './options.ts';
import { happenedWithin, type OwnElements } from './press.ts';
import { type KeySource, usePushToTalkKey, usePushToTalkTouch } from './push-to-talk.ts';
import { useStrings } from './strings.tsx';
import { CopyButton, DictateButton } from './tools.tsx';
import { type FieldDictation, useFieldDictation } from './use-field-dictation.ts';
import { useToolbarShown } from './use-toolbar-shown.ts';

const NoteLayer = fetchedLater(
  async () => (await import('./NoteLayer.tsx')).NoteLayer,
  () => null,
);

type FieldToolsProps = {
  readonly choices: DictationChoices;
  readonly dictation: Dictation;
  readonly field: EditableField;
  /** Elements that belong to the field: the toolbar stays while one of them is active. */
  readonly own: OwnElements;
  /** Nothing can be done with the text, not even copy it. @default false */
  readonly isDisabled?: boolean;
  /** True while the text can be changed. */
  readonly canDictate: () => boolean;
  /** @default true */
  readonly hasToolbar?: boolean;
  /** Tells of key presses. @default the document */
  readonly keys?: KeySource | undefined;
  /** Called with the field's commands when it is mounted. @default nothing */
  readonly onReady?: ((commands: FieldCommands) => void) | undefined;
  /** More buttons for the toolbar. @default none */
  readonly moreTools?: ReactNode;
  /**
   * Draws the rest of the state of the dictation into this field.
   */
  readonly children: (state: FieldDictation & { readonly hasLevelMeter: boolean }) => ReactNode;
};

/** Turns an editable field into one to dictate into, with a toolbar at the caret and a key. */
export function FieldTools(props: FieldToolsProps) {
  const { dictation, field, own, isDisabled = false, canDictate, hasToolbar = true } = props;
  const { deviceId = null, tabSound = false, spacing = 'spec' } = props.choices;
  const { pushToTalkKey = 'F9', showsWords = true, levelMeter = true } = props.choices;
  const isAtPause = props.choices.insert === 'at-pause';
  const state = useFieldDictation({
    dictation,
    field,
    options: { ...recordingOptionsOf(props.choices), deviceId, tabSound },
    insertOptions: { spacing },
  });
  const { phase, isBusyElsewhere, isSpokenElsewhere, places, start, stop, cancel } = state;
  const hasAnyPlace = useSyncExternalStore(places.subscribe, places.hasAny, places.hasAny);
  const hasPlaces = useDrawnLater(hasAnyPlace);
  const prepare = useCallback(() => dictation.prepare(), [dictation]);
  const isAtRest = phase === 'idle' || phase === 'stopped';
  const { isShown, hide } = useToolbarShown({
    field,
    own,
    isWanted: hasToolbar && !isDisabled,
    // An Escape that ended a recording is used up: what becomes of it stays to be seen.
    isEscapeHiding: isAtRest,
    onShow: prepare,
  });

  // One field sounds the alarm for all; a page without our toolbar reads the snapshot.
  useSilenceAlarm(dictation, hasToolbar && state.isLatest);

  useSteadyCaret(field.element, !isAtRest);

  usePushToTalkKey({
    pushToTalkKey,
    keys: props.keys,
    // While another field is spoken into the key is that one's, wherever it is pressed.
    isMine: (event) => !isSpokenElsewhere && canDictate() && happenedWithin(event, own()),
    isInText: (event) => happenedWithin(event, [field.element]),
    isStarting: phase === 'starting',
    isRecording: phase === 'recording' || phase === 'paused',
    start,
    stop: () => void stop(),
    cancel,
  });

  const touch = usePushToTalkTouch({
    // The browser's dialog for tabs comes after a click alone.
    mayStart: !isSpokenElsewhere && !tabSound,
    isOff: !isAtRest || isBusyElsewhere,
    isRecording: phase === 'recording' || phase === 'paused',
    start,
    stop: () => void stop(),
  });

  const { onReady } = props;
  useEffect(() => onReady?.({ start, stop, cancel }), [start, stop, cancel, onReady]);

  const copy = useCallback(
    // The blanks that part a dictation from the text around it are not copied.
    () => copyText(field.text().trim(), { clipboard: navigator.clipboard, log: console }),
    [field],
  );
  const leaveToolbar = (): void => {
    field.element.focus({ preventScroll: true });
    if (isAtRest) hide();
  };

  return (
    <>
      {isShown && (
        <CaretToolbar field={field} onEscape={leaveToolbar}>
          {canDictate() && (
            <DictateButton
              phase={phase}
              isBusyElsewhere={isBusyElsewhere}
              pushToTalkKey={pushToTalkKey}
              touch={touch}
              onStart={start}
              onStop={() => void stop()}
            />
          )}
          {isAtRest && <CopyButton copy={copy} />}
          {isAtRest && state.takeBack && <TakeBackButton takeBack={state.takeBack} />}
          {isAtRest && props.moreTools}
        </CaretToolbar>
      )}
      {hasPlaces && (
        <NoteLayer
          dictation={dictation}
          field={field}
          places={places}
          showsWords={showsWords && props.choices.live !== false}
          skipsFinal={isAtPause}
        />
      )}
      {props.children({ ...state, hasLevelMeter: levelMeter })}
    </>
  );
}

function TakeBackButton({ takeBack }: { readonly takeBack: () => void }) {
  const strings = useStrings();
  return (
    <button type="button" className="tool" onClick={takeBack}>
      <Undo2 aria-hidden />
      <span>{strings.takeBack}</span>
    </button>
  );
}

const STEADY = ':focus { caret-animation: manual }';

/**
 * While one dictates the caret stands still: it shows where the words will stand, and a browser that
 * draws a blink puts the whole picture together for it, twice a second. Not by the element's own
 * style, which is its page's.
 */
function useSteadyCaret(element: Element, isSteady: boolean): void {
  useEffect(() => {
    const root = element.getRootNode();
    if (!(isSteady && isScope(root) && CSS.supports('caret-animation', 'manual'))) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STEADY);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return () => {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, [element, isSteady]);
}
