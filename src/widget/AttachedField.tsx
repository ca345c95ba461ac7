import { type ReactNode, useCallback, useEffect } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import type { SessionPhase } from '../core/session/snapshot.ts';
import { copyText } from '../field/copy-text.ts';
import { acceptsText, activeElementOf } from '../field/dom.ts';
import type { EditableField } from '../field/editable-field.ts';
import { Announcer } from './Announcer.tsx';
import { showAboveKeyboard } from './above-keyboard.ts';
import {
  DictationPanel,
  DictationsButton,
  useDictationPanel,
  useHasDictations,
} from './DictationPanel.tsx';
import { FieldTools } from './FieldTools.tsx';
import { useDictationList } from './fetched-later.tsx';
import type { DictationChoices, FieldCommands } from './field-props.ts';
import { insertHere } from './insert-here.ts';
import { Notices } from './Notices.tsx';
import { RecordingBar } from './RecordingBar.tsx';
import type { ToolsHost } from './tools-host.ts';
import { useDrawnLater } from './use-drawn-later.ts';
import { useSnapshot } from './use-snapshot.ts';

type AttachedFieldProps = {
  readonly dictation: Dictation;
  readonly field: EditableField;
  readonly host: ToolsHost;
  readonly choices: DictationChoices;
  /** False shows nothing: the page has an interface of its own. */
  readonly hasToolbar: boolean;
  /** Given what the field can be told, when it is there. */
  readonly onReady: (commands: FieldCommands) => void;
};

/** The tools of an element that is not ours. */
export function AttachedField(props: AttachedFieldProps) {
  const { dictation, field, host, choices, hasToolbar, onReady } = props;
  const own = useCallback(() => [field.element, host.element], [field, host]);
  const list = useDictationPanel(own);

  // Nothing is put into the page before somebody comes to the field.
  useEffect(() => {
    const listening = new AbortController();
    if (activeElementOf(field.element) === field.element) host.place();
    for (const type of ['focusin', 'click', 'keydown']) {
      field.element.addEventListener(type, host.place, { signal: listening.signal, capture: true });
    }
    return () => listening.abort();
  }, [field, host]);

  const buttonProps = { dictation, isOpen: list.isOpen, onPress: list.toggle };
  return (
    <FieldTools
      choices={choices}
      dictation={dictation}
      field={field}
      own={own}
      canDictate={() => acceptsText(field.element)}
      hasToolbar={hasToolbar}
      onReady={onReady}
      moreTools={<DictationsButton {...buttonProps} />}
    >
      {({ phase, isLatest, isRibbonInBar }) =>
        hasToolbar && (
          <>
            {isLatest && <Announcer dictation={dictation} />}
            <Status
              dictation={dictation}
              field={field}
              phase={isLatest ? phase : null}
              hasRibbon={isRibbonInBar}
              button={<DictationsButton {...buttonProps} isForWaiting />}
              insert={(text, withdrawn) =>
                insertHere(field, text, {
                  ...(choices.spacing && { spacing: choices.spacing }),
                  withdrawn,
                })
              }
              onClose={list.isOpen ? list.close : null}
            />
          </>
        )
      }
    </FieldTools>
  );
}

type StatusProps = {
  readonly dictation: Dictation;
  readonly field: EditableField;
  /** Null if another field was the last to ask for the microphone: what goes on is told there. */
  readonly phase: SessionPhase | null;
  readonly hasRibbon: boolean;
  /** Opens the list, while something waits. */
  readonly button: ReactNode;
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  /** Closes the list of dictations; null while it is closed. */
  readonly onClose: (() => void) | null;
};

/** At the bottom of what is seen of the window, wherever the field has been scrolled to. */
function Status(props: StatusProps) {
  const { dictation, field, phase, button, insert, onClose } = props;
  const hasNotices = useSnapshot(dictation, ({ notices }) => notices.length > 0) && phase !== null;
  const isAtWork = useDrawnLater(phase !== null && phase !== 'idle' && phase !== 'stopped');
  const hasDictations = useHasDictations(dictation);
  const list = useDictationList(dictation, onClose !== null, null);
  const isListed = onClose !== null && hasDictations;
  const copy = useCallback(
    (text: string) => copyText(text, { clipboard: navigator.clipboard, log: console }),
    [],
  );
  if (!(isAtWork || hasNotices || isListed)) return null;
  return (
    <div ref={showAboveKeyboard} popover="manual" className="attached-status">
      {hasNotices && <Notices dictation={dictation} />}
      {hasNotices && !isListed && <div className="attached-waiting">{button}</div>}
      {isListed && (
        <DictationPanel
          dictation={dictation}
          insert={insert}
          copy={copy}
          list={list}
          onClose={onClose}
          focusFallback={field.element}
        />
      )}
      {isAtWork && (
        <RecordingBar
          dictation={dictation}
          hasRibbon={props.hasRibbon}
          focusFallback={field.element}
        />
      )}
    </div>
  );
}
