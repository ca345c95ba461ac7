import { useCallback, useEffect, useImperativeHandle, useRef } from 'react';
import { copyText } from '../field/copy-text.ts';
import { CaretToolbar } from './CaretToolbar.tsx';
import { CopyButton } from './CopyButton.tsx';
import { DictateButton } from './DictateButton.tsx';
import { FieldText } from './FieldText.tsx';
import type { DictationFieldProps } from './field-props.ts';
import { LevelRibbon } from './LevelRibbon.tsx';
import { RecordingBar } from './RecordingBar.tsx';
import { useEditableField } from './use-editable-field.ts';
import { useFieldDictation } from './use-field-dictation.ts';
import { useTalkKey } from './use-talk-key.ts';
import { useToolbarShown } from './use-toolbar-shown.ts';

/** A text one can dictate into: the text, its toolbar at the caret, and what goes on while recording. */
export function DictationField({
  dictation,
  options,
  deviceId = null,
  tabSound = false,
  spacing = 'spec',
  talkKey = 'F9',
  onField,
  ref,
  ...textProps
}: DictationFieldProps) {
  const { disabled = false, readOnly = false } = textProps;
  const canDictate = !disabled && !readOnly;
  const [fieldRef, field] = useEditableField();
  const sheetRef = useRef<HTMLDivElement>(null);
  const { isShown, show, hide } = useToolbarShown(field, sheetRef);
  const { phase, isBusyElsewhere, start, stop } = useFieldDictation({
    dictation,
    field,
    options: { ...options, deviceId, tabSound },
    insertOptions: { spacing },
  });

  useEffect(() => {
    onField?.(field);
  }, [field, onField]);
  useImperativeHandle(ref, () => field?.element as HTMLElement, [field]);

  useTalkKey({
    talkKey,
    isMine: (target) =>
      canDictate && target instanceof Node && !!sheetRef.current?.contains(target),
    isRecording: phase === 'recording' || phase === 'paused',
    start,
    stop,
  });

  const showToolbar = useCallback(() => {
    dictation.prepare();
    show();
  }, [dictation, show]);
  const copy = useCallback(
    () => copyText(field?.text() ?? '', { clipboard: navigator.clipboard, log: console }),
    [field],
  );
  // An Escape that ended a recording is used up: what becomes of it stays to be seen.
  const hideAtRest = (): void => {
    if (phase === 'idle' || phase === 'stopped') hide();
  };
  const leaveToolbar = (): void => {
    field?.element.focus({ preventScroll: true });
    hideAtRest();
  };

  return (
    <div ref={sheetRef} className={`sheet ${disabled ? 'is-disabled' : ''}`}>
      <FieldText
        {...textProps}
        elementRef={fieldRef}
        events={{
          onFocus: showToolbar,
          onClick: showToolbar,
          onKeyUp: ({ key }) => {
            if (key === 'Escape') hideAtRest();
            else show();
          },
        }}
      />
      {field && isShown && !disabled && (
        <CaretToolbar field={field} onEscape={leaveToolbar}>
          {canDictate && (
            <DictateButton
              phase={phase}
              isBusyElsewhere={isBusyElsewhere}
              talkKey={talkKey}
              onStart={start}
              onStop={stop}
            />
          )}
          {phase === 'recording' && <LevelRibbon dictation={dictation} />}
          <CopyButton copy={copy} />
        </CaretToolbar>
      )}
      {phase !== 'idle' && phase !== 'stopped' && (
        <RecordingBar dictation={dictation} focusHeir={field?.element ?? null} />
      )}
    </div>
  );
}
