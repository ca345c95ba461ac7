import type { RefCallback } from 'react';
import { EditableText } from './EditableText.tsx';
import type { FieldTextProps } from './field-props.ts';

type FieldTextElementProps = Omit<FieldTextProps, 'ref'> & {
  readonly elementRef: RefCallback<HTMLElement>;
};

/** The element that holds the text, of the kind asked for. */
export function FieldText({ as: kind = 'editable', ...props }: FieldTextElementProps) {
  if (kind === 'editable') return <EditableText {...props} />;
  const { elementRef, label, value, defaultValue, onChange, ...native } = props;
  const Control = kind;
  return (
    <Control
      ref={elementRef}
      className={`field-text is-${kind}`}
      aria-label={label}
      {...native}
      {...(value === undefined ? { defaultValue } : { value })}
      onChange={(event) => onChange?.(event.currentTarget.value)}
    />
  );
}
