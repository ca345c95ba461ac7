import { type RefCallback, useCallback, useState } from 'react';
import { createEditableField } from '../field/create-editable-field.ts';
import type { EditableField } from '../field/editable-field.ts';
import { attachNewlineRule } from '../field/newline-rule.ts';
import { attachPlainTextPaste } from '../field/plain-text-paste.ts';

/**
 * Makes an element a field with its rules while it is on the page: the ref to give it, and the
 * field.
 */
export function useEditableField(): readonly [RefCallback<HTMLElement>, EditableField | null] {
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
