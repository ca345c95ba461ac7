import type { FocusEvent, KeyboardEvent, RefCallback } from 'react';
import { EditableText } from './EditableText.tsx';
import type { FieldTextProps } from './field-props.ts';

/** What every kind of element is given besides its own. */
export type FieldEvents = {
  readonly onFocus: (event: FocusEvent) => void;
  readonly onClick: () => void;
  readonly onKeyUp: (event: KeyboardEvent) => void;
};

type FieldTextElementProps = Omit<FieldTextProps, 'ref'> & {
  readonly elementRef: RefCallback<HTMLElement>;
  readonly events: FieldEvents;
};

/** The element that holds the text, of the kind asked for. */
export function FieldText({ as: kind = 'editable', ...props }: FieldTextElementProps) {
  if (kind === 'editable') return <EditableText {...props} />;
  const { elementRef, events, label, value, defaultValue, onChange, ...native } = props;
  const Control = kind;
  return (
    <Control
      ref={elementRef}
      className={`field-text is-${kind}`}
      aria-label={label}
      {...native}
      {...events}
      {...(value === undefined ? { defaultValue } : { value })}
      onChange={(event) => onChange?.(event.currentTarget.value)}
    />
  );
}
