import {
  type RefCallback,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
} from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { SessionPhase } from '../core/session/snapshot.ts';
import { createEditableField } from '../field/create-editable-field.ts';
import type { EditableField } from '../field/editable-field.ts';
import { attachNewlineRule, attachPlainTextPaste } from '../field/field-rules.ts';
import { readTextMap } from '../field/text-map.ts';
import { replaceText } from '../field/text-surface.ts';
import { Boundary } from './Boundary.tsx';
import { FieldTools } from './FieldTools.tsx';
import { useDrawnLater } from './hooks.ts';
import type { DictationFieldProps, FieldTextProps } from './options.ts';
import { RecordingBar } from './RecordingBar.tsx';

/**
 * A text one can dictate into: the text, its toolbar at the caret, and what goes on while
 * recording.
 */
export function DictationField(props: DictationFieldProps) {
  const { dictation, onField, onReady, ref } = props;
  const { disabled = false, readOnly = false } = props;
  const [fieldRef, field] = useEditableField();
  const sheetRef = useRef<HTMLDivElement>(null);
  const own = useCallback(() => [sheetRef.current], []);

  useEffect(() => {
    onField?.(field);
  }, [field, onField]);
  // The field comes a moment after its element, which is there for the parent's first effect.
  useImperativeHandle(
    ref,
    () => field?.element ?? (sheetRef.current?.querySelector('.field-text') as HTMLElement),
    [field],
  );

  return (
    <div
      ref={sheetRef}
      translate="no"
      className={`sheet notranslate ${disabled ? 'is-disabled' : ''}`}
    >
      <FieldText props={props} elementRef={fieldRef} />
      <Boundary>
        {field && (
          <FieldTools
            choices={props}
            dictation={dictation}
            field={field}
            own={own}
            isDisabled={disabled}
            canDictate={() => !disabled && !readOnly}
            onReady={onReady}
          >
            {({ phase, isMeterInBar }) => (
              <BarAtWork
                dictation={dictation}
                phase={phase}
                hasLevelMeter={isMeterInBar}
                focusFallback={field.element}
              />
            )}
          </FieldTools>
        )}
      </Boundary>
    </div>
  );
}

type BarAtWorkProps = {
  readonly dictation: Dictation;
  readonly phase: SessionPhase;
  readonly hasLevelMeter: boolean;
  readonly focusFallback: HTMLElement;
};

function BarAtWork({ phase, ...barProps }: BarAtWorkProps) {
  const isShown = useDrawnLater(phase !== 'idle' && phase !== 'stopped');
  return isShown && <RecordingBar {...barProps} />;
}

/**
 * Makes an element a field with its rules while it is on the page: the ref to give it, and the
 * field.
 */
function useEditableField(): readonly [RefCallback<HTMLElement>, EditableField | null] {
  const [field, setField] = useState<EditableField | null>(null);
  const ref = useCallback((element: HTMLElement) => {
    // A browser that does not know `plaintext-only` takes it for nothing at all.
    const asked = element.getAttribute('contenteditable');
    if (asked === 'plaintext-only' && !element.isContentEditable) element.contentEditable = 'true';
    const created = createEditableField(element);
    const detach = [attachPlainTextPaste(element), attachNewlineRule(element)];
    setField(created);
    return () => {
      for (const end of detach) end();
      created.dispose();
      setField(null);
    };
  }, []);
  return [ref, field];
}

type FieldTextElementProps = {
  readonly props: FieldTextProps;
  readonly elementRef: RefCallback<HTMLElement>;
};

/** The element that holds the text, of the kind asked for. */
function FieldText({ props, elementRef }: FieldTextElementProps) {
  const { as: kind = 'editable', label, value, defaultValue, onChange } = props;
  const { disabled, readOnly, placeholder, name } = props;
  if (kind === 'editable') return <EditableText {...props} elementRef={elementRef} />;
  const Control = kind;
  return (
    <Control
      ref={elementRef}
      className={`field-text is-${kind}`}
      aria-label={label}
      {...{ disabled, readOnly, placeholder, name }}
      {...(value === undefined ? { defaultValue } : { value })}
      onChange={(event) => onChange?.(event.currentTarget.value)}
    />
  );
}

type EditableTextProps = Omit<FieldTextProps, 'ref' | 'as'> & {
  readonly elementRef: RefCallback<HTMLElement>;
};

/**
 * A `contenteditable` that behaves as an input does in React: `value` or `defaultValue`, a name in
 * its form, disabled, read-only. React never draws its text: the browser's undo would be lost.
 */
function EditableText(props: EditableTextProps) {
  const { elementRef, label, value, defaultValue = '', onChange } = props;
  const { name, disabled = false, readOnly = false, placeholder = '' } = props;
  const element = useRef<HTMLDivElement>(null);
  const isComposing = useRef(false);
  const [text, setText] = useState(value ?? defaultValue);
  const [, drawAgain] = useReducer((count: number) => count + 1, 0);

  // The text at first. Later changes of `defaultValue` mean nothing, as with an input.
  const first = useRef(value ?? defaultValue);
  useLayoutEffect(() => {
    if (!element.current) return;
    const written = readTextMap(element.current).wholeText();
    // On a page that a build drew, somebody may have been writing before this script came.
    if (written === '') replaceText(element.current, first.current);
    else setText(written);
  }, []);

  // After every drawing: a change that the parent did not take up is taken back.
  useLayoutEffect(() => {
    if (value === undefined || isComposing.current || !element.current) return;
    replaceText(element.current, value);
  });

  const isOwn = value === undefined;
  useEffect(() => {
    const form = element.current?.closest('form');
    if (!form || !isOwn) return;
    const reset = (): void => {
      if (!element.current) return;
      replaceText(element.current, first.current);
      setText(first.current);
    };
    form.addEventListener('reset', reset);
    return () => form.removeEventListener('reset', reset);
  }, [isOwn]);

  const setElement = useCallback(
    (node: HTMLDivElement) => {
      element.current = node;
      const end = elementRef(node);
      return () => {
        element.current = null;
        if (end) end();
      };
    },
    [elementRef],
  );

  const changed = (): void => {
    if (!element.current) return;
    const now = readTextMap(element.current).wholeText();
    setText(now);
    onChange?.(now);
    drawAgain();
  };
  const isEditable = !disabled && !readOnly;

  return (
    <>
      <div
        ref={setElement}
        className="field-text"
        contentEditable={isEditable ? 'plaintext-only' : false}
        suppressContentEditableWarning
        suppressHydrationWarning
        role="textbox"
        aria-multiline
        aria-label={label}
        aria-placeholder={placeholder || undefined}
        aria-disabled={disabled || undefined}
        aria-readonly={readOnly || undefined}
        tabIndex={disabled ? -1 : 0}
        data-placeholder={placeholder}
        onInput={changed}
        onCompositionStart={() => {
          isComposing.current = true;
        }}
        onCompositionEnd={() => {
          isComposing.current = false;
          changed();
        }}
      >
        {/* Always the same text: React leaves alone what stands here, written before it came. */}
        {''}
      </div>
      {name !== undefined && (
        <input type="hidden" name={name} value={value ?? text} disabled={disabled} />
      )}
    </>
  );
}
