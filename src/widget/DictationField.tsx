import {
  type ComponentType,
  type HTMLAttributes,
  type Ref,
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
import { CHOICE_NAMES, type DictationChoices, type FieldCommands } from './options.ts';
import { CancelledBar, RecordingBar } from './RecordingBar.tsx';

/** Which element holds the text: a `contenteditable`, a text area, or an input of one line. */
export type FieldKind = 'editable' | 'textarea' | 'input';

/**
 * Props that every field of a form has; the names are React's. `className` and `style` go to the box
 * around it, all others to the element that holds the text: `id`, `autoFocus`, `onBlur`, `aria-*`.
 */
export type FieldTextProps = Omit<
  HTMLAttributes<HTMLElement>,
  'children' | 'contentEditable' | 'dangerouslySetInnerHTML' | 'defaultValue' | 'onChange' | 'role'
> & {
  /**
   * The field's name, for those who cannot see it. Left out where a `<label for>`, or
   * `aria-labelledby`, names it.
   */
  readonly label?: string | undefined;
  /** Which element. @default 'editable' */
  readonly as?: FieldKind | undefined;
  /** The text, when the parent keeps it: set it anew in `onChange`, or the change is taken back. */
  readonly value?: string | undefined;
  /** The text at first, when the field keeps it itself. @default '' */
  readonly defaultValue?: string | undefined;
  /** Called with the whole text after each change by the user or a dictation. */
  readonly onChange?: ((text: string) => void) | undefined;
  /** Nothing can be done with it, and a form leaves it out. @default false */
  readonly disabled?: boolean | undefined;
  /** The text can be read and copied, not changed. @default false */
  readonly readOnly?: boolean | undefined;
  /** A form is not sent without it. @default false */
  readonly required?: boolean | undefined;
  /** The most units (UTF-16) it may hold; of a text area or an input. A dictation is not cut. */
  readonly maxLength?: number | undefined;
  /** Its height in lines; of a text area. */
  readonly rows?: number | undefined;
  /** Shown while it is empty. */
  readonly placeholder?: string | undefined;
  /** The name under which a form sends the text. */
  readonly name?: string | undefined;
  /** Gets the element itself. */
  readonly ref?: Ref<HTMLElement> | undefined;
};

/** Options of `DictationField`. */
export type DictationFieldProps = FieldTextProps &
  DictationChoices & {
    /** Several fields may share one: the text goes to the field in which Diktera was pressed. */
    readonly dictation: Dictation;
    /** Shows what goes on below the text, with buttons to pause and end it. @default true */
    readonly recordingBar?: boolean;
    /** Called with the field when it is mounted, and with null when it goes. */
    readonly onField?: (field: EditableField | null) => void;
    /** Called with the field's commands when it is mounted. */
    readonly onReady?: (commands: FieldCommands) => void;
  };

/** Props that are not the text's element's. */
const OTHER_PROPS: ReadonlySet<string> = new Set([
  ...CHOICE_NAMES,
  ...['dictation', 'recordingBar', 'onField', 'onReady', 'ref', 'className', 'style'],
]);

function textPropsOf(props: DictationFieldProps): FieldTextProps {
  return Object.fromEntries(Object.entries(props).filter(([name]) => !OTHER_PROPS.has(name)));
}

/**
 * A text one can dictate into: the text, its toolbar at the caret, and what goes on while
 * recording.
 */
export function DictationField(props: DictationFieldProps) {
  return <BareField {...props} Bar={props.recordingBar === false ? null : BarAtWork} />;
}

type BareFieldProps = DictationFieldProps & {
  /** Draws what goes on while recording; null for nobody. */
  readonly Bar: ComponentType<BarProps> | null;
};

/** The same with another bar below the text, or none: what is not drawn is not fetched either. */
export function BareField({ Bar, ...props }: BareFieldProps) {
  const { dictation, onField, onReady, ref, className = '', style } = props;
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
      className={`sheet notranslate ${disabled ? 'is-disabled' : ''} ${className}`.trimEnd()}
      style={style}
    >
      <FieldText props={textPropsOf(props)} elementRef={fieldRef} />
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
            {({ phase, isCancelled, hasLevelMeter }) =>
              Bar && (
                <Bar
                  dictation={dictation}
                  phase={phase}
                  isCancelled={isCancelled}
                  hasLevelMeter={hasLevelMeter}
                  focusFallback={field.element}
                />
              )
            }
          </FieldTools>
        )}
      </Boundary>
    </div>
  );
}

type BarProps = {
  readonly dictation: Dictation;
  readonly phase: SessionPhase;
  readonly isCancelled: boolean;
  readonly hasLevelMeter: boolean;
  readonly focusFallback: HTMLElement;
};

/** Always in its place, empty at rest: what is written does not move when somebody speaks. */
function BarAtWork({ phase, isCancelled, ...barProps }: BarProps) {
  const { dictation, focusFallback } = barProps;
  const isShown = useDrawnLater(phase !== 'idle' && phase !== 'stopped');
  return (
    <div className="recording-place">
      {isShown && <RecordingBar {...barProps} />}
      {isCancelled && <CancelledBar dictation={dictation} focusFallback={focusFallback} />}
    </div>
  );
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
  const { as: Control = 'editable', label, value, defaultValue, onChange, ...others } = props;
  if (Control === 'editable') return <EditableText {...props} elementRef={elementRef} />;
  return (
    <Control
      {...others}
      ref={elementRef}
      className={`field-text is-${Control}`}
      {...(label !== undefined && { 'aria-label': label })}
      {...(value === undefined ? { defaultValue } : { value })}
      onChange={(event) => onChange?.(event.currentTarget.value)}
    />
  );
}

/** A label of the page's own names nothing but the elements of forms: its words, found here. */
function useLabel(element: { readonly current: HTMLElement | null }, isNamed: boolean) {
  const [words, setWords] = useState<string | undefined>();
  useEffect(() => {
    const text = element.current;
    if (isNamed || !text) return;
    const scope = text.getRootNode() as Document | ShadowRoot;
    const label =
      (text.id && scope.querySelector(`label[for="${CSS.escape(text.id)}"]`)) ||
      text.closest('label');
    if (!label) return;
    setWords(label.textContent?.trim() || undefined);
    const focus = (event: Event): void => {
      if (event.target instanceof Node && !text.contains(event.target)) text.focus();
    };
    label.addEventListener('click', focus);
    return () => label.removeEventListener('click', focus);
  }, [element, isNamed]);
  return words;
}

type EditableTextProps = Omit<FieldTextProps, 'ref'> & {
  readonly elementRef: RefCallback<HTMLElement>;
};

/**
 * A `contenteditable` that behaves as an input does in React: `value` or `defaultValue`, a name in
 * its form, disabled, read-only. React never draws its text: the browser's undo would be lost.
 */
function EditableText(props: EditableTextProps) {
  const { elementRef, label, value, defaultValue = '', onChange, as: _, ...rest } = props;
  const { name, disabled = false, readOnly = false, required = false, ...given } = rest;
  const { placeholder = '', autoFocus = false, maxLength: _most, rows: _rows, ...others } = given;
  const element = useRef<HTMLDivElement>(null);
  const own = label ?? others['aria-label'];
  const words = useLabel(element, own !== undefined || others['aria-labelledby'] !== undefined);
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

  const wantsFocus = useRef(autoFocus);
  useEffect(() => {
    if (wantsFocus.current) element.current?.focus();
  }, []);

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
        {...others}
        ref={setElement}
        className="field-text"
        data-is-empty={text === ''}
        contentEditable={isEditable ? 'plaintext-only' : false}
        suppressContentEditableWarning
        suppressHydrationWarning
        role="textbox"
        aria-multiline
        aria-label={own ?? words}
        aria-required={required || undefined}
        aria-placeholder={placeholder || undefined}
        aria-disabled={disabled || undefined}
        aria-readonly={readOnly || undefined}
        tabIndex={disabled ? -1 : (others.tabIndex ?? 0)}
        data-placeholder={placeholder}
        onInput={(event) => {
          others.onInput?.(event);
          changed();
        }}
        onCompositionStart={(event) => {
          others.onCompositionStart?.(event);
          isComposing.current = true;
        }}
        onCompositionEnd={(event) => {
          others.onCompositionEnd?.(event);
          isComposing.current = false;
          changed();
        }}
      >
        {/* Always the same text: React leaves alone what stands here, written before it came. */}
        {''}
      </div>
      {required && !disabled ? (
        // A browser asks for what is missing at an element that can be seen to have a place.
        <textarea
          className="visually-hidden"
          tabIndex={-1}
          aria-hidden
          required
          name={name}
          value={value ?? text}
          onChange={() => {}}
          onFocus={() => element.current?.focus()}
        />
      ) : (
        name !== undefined && (
          <input type="hidden" name={name} value={value ?? text} disabled={disabled} />
        )
      )}
    </>
  );
}
