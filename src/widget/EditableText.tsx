import {
  type RefCallback,
  useCallback,
  useEffect,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
} from 'react';
import { readTextMap } from '../field/text-map.ts';
import { replaceText } from '../field/text-surface.ts';
import type { FieldTextProps } from './field-props.ts';

type EditableTextProps = Omit<FieldTextProps, 'ref' | 'as'> & {
  readonly elementRef: RefCallback<HTMLElement>;
};

/**
 * A `contenteditable` that behaves as an input does in React: `value` or `defaultValue`, a name in
 * its form, disabled, read-only. React never draws its text: the browser's undo would be lost.
 */
export function EditableText(props: EditableTextProps) {
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
