import { useCallback, useEffect } from 'react';
import type { Dictation } from '../core/dictation.ts';
import type { EditableField } from '../field/editable-field.ts';
import { acceptsText } from '../field/node-kinds.ts';
import { activeElementOf } from '../field/tree-scope.ts';
import { Announcer } from './Announcer.tsx';
import { FieldTools } from './FieldTools.tsx';
import type { DictationChoices, FieldCommands } from './field-props.ts';
import { Notices } from './Notices.tsx';
import { RecordingBar } from './RecordingBar.tsx';
import type { ToolsHost } from './tools-host.ts';
import { showOnTop } from './top-layer.ts';
import { useDrawnLater } from './use-drawn-later.ts';
import type { FieldDictation } from './use-field-dictation.ts';
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

  // Nothing is put into the page before somebody comes to the field.
  useEffect(() => {
    const listening = new AbortController();
    if (activeElementOf(field.element) === field.element) host.place();
    for (const type of ['focusin', 'click', 'keydown']) {
      field.element.addEventListener(type, host.place, { signal: listening.signal, capture: true });
    }
    return () => listening.abort();
  }, [field, host]);

  return (
    <FieldTools
      choices={choices}
      dictation={dictation}
      field={field}
      own={own}
      canDictate={() => acceptsText(field.element)}
      hasToolbar={hasToolbar}
      onReady={onReady}
    >
      {(state) =>
        hasToolbar &&
        state.isLatest && (
          <Status dictation={dictation} phase={state.phase} focusHeir={field.element} />
        )
      }
    </FieldTools>
  );
}

type StatusProps = Pick<FieldDictation, 'phase'> & {
  readonly dictation: Dictation;
  readonly focusHeir: HTMLElement;
};

/** At the bottom of the window, wherever the field has been scrolled to. */
function Status({ dictation, phase, focusHeir }: StatusProps) {
  const hasNotices = useSnapshot(dictation, ({ notices }) => notices.length > 0);
  const isAtWork = useDrawnLater(phase !== 'idle' && phase !== 'stopped');
  return (
    <>
      <Announcer dictation={dictation} />
      {(isAtWork || hasNotices) && (
        <div ref={showOnTop} popover="manual" className="attached-status">
          <Notices dictation={dictation} />
          {isAtWork && <RecordingBar dictation={dictation} focusHeir={focusHeir} />}
        </div>
      )}
    </>
  );
}
