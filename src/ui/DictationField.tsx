import { useCallback, useEffect, useRef, useState } from 'react';
import type { Dictation } from '../core/dictation.ts';
import type { SessionOptions } from '../core/dictation-options.ts';
import { copyText } from '../field/copy-text.ts';
import type { EditableField } from '../field/editable-field.ts';
import { CaretToolbar } from './CaretToolbar.tsx';
import { CopyButton } from './CopyButton.tsx';
import { DictateButton } from './DictateButton.tsx';
import { RecordingBar } from './RecordingBar.tsx';
import { useEditableField } from './use-editable-field.ts';
import { useFieldDictation } from './use-field-dictation.ts';
import { useSnapshot } from './use-snapshot.ts';

type DictationFieldProps = {
  readonly dictation: Dictation;
  /** The field's name, for those who cannot see it. */
  readonly label: string;
  /** Shown while it is empty. */
  readonly placeholder?: string;
  /** Options of its recordings, over the dictation element's own. */
  readonly options?: Partial<SessionOptions>;
  /** Told the field when it is there. */
  readonly onField?: (field: EditableField | null) => void;
};

/** A text one can dictate into: the text, its toolbar at the caret, and what goes on while recording. */
export function DictationField({
  dictation,
  label,
  placeholder = '',
  options,
  onField,
}: DictationFieldProps) {
  const [fieldRef, field] = useEditableField();
  const [isToolbarShown, setIsToolbarShown] = useState(false);
  const sheetRef = useRef<HTMLDivElement>(null);
  const toolbarRef = useRef<HTMLDivElement>(null);
  const phase = useSnapshot(dictation, ({ session }) => session.phase);
  const press = useFieldDictation(dictation, field, options);

  useEffect(() => onField?.(field), [field, onField]);

  const show = useCallback(() => {
    dictation.prepare();
    setIsToolbarShown(true);
  }, [dictation]);
  const hide = useCallback(() => setIsToolbarShown(false), []);
  // The recording bar belongs to the field as much as the toolbar does.
  const own = useCallback(() => [sheetRef.current, toolbarRef.current], []);
  const copy = useCallback(
    () => copyText(field?.text() ?? '', { clipboard: navigator.clipboard, log: console }),
    [field],
  );

  return (
    <div ref={sheetRef} className="sheet">
      <div
        ref={fieldRef}
        className="field-text"
        contentEditable="plaintext-only"
        suppressContentEditableWarning
        role="textbox"
        aria-multiline
        aria-label={label}
        tabIndex={0}
        data-placeholder={placeholder}
        onFocus={show}
        onClick={show}
        onKeyUp={show}
      />
      {field && isToolbarShown && (
        <CaretToolbar field={field} toolbarRef={toolbarRef} own={own} onHide={hide}>
          <DictateButton phase={phase} onPress={press} />
          <CopyButton copy={copy} />
        </CaretToolbar>
      )}
      <RecordingBar dictation={dictation} />
    </div>
  );
}
