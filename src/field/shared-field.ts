import { createEditableField } from './create-editable-field.ts';
import type { EditableField } from './editable-field.ts';
import { watchRemoval } from './field-watches.ts';

/** An element's field, for as long as it is wanted here. */
export type FieldShare = {
  readonly field: EditableField;
  /**
   * It is not wanted here any more. Where nobody wants it, it is disposed of as soon as no saved
   * cursor waits for its text, or the element is gone. Harmless when done twice.
   */
  leave(): void;
};

type SharedField = {
  readonly field: EditableField;
  readonly shares: Set<FieldShare>;
  /** Looks whether it is still needed. */
  look(): void;
};

const fields = new WeakMap<HTMLElement, SharedField>();

/**
 * The element's one field, made by the first who asks: whoever comes while a text is still on its
 * way to its place goes on with it, so that cursors stand in the order they were saved. Throws as
 * `createEditableField` does.
 */
export function shareField(element: HTMLElement): FieldShare {
  const shared = fields.get(element) ?? openField(element);
  const share: FieldShare = {
    field: shared.field,
    leave() {
      if (shared.shares.delete(share)) shared.look();
    },
  };
  shared.shares.add(share);
  return share;
}

function openField(element: HTMLElement): SharedField {
  const shares = new Set<FieldShare>();
  let isUsed = false;
  let unwatch: (() => void) | null = null;

  const look = (): void => {
    if (shares.size > 0 || fields.get(element) !== shared) return;
    unwatch ??= watchRemoval(element, look);
    if (isUsed && element.isConnected) return;
    unwatch();
    fields.delete(element);
    field.dispose();
  };
  const field = createEditableField(element, {
    onUse(isUsedNow) {
      isUsed = isUsedNow;
      look();
    },
  });
  const shared: SharedField = { field, shares, look };
  fields.set(element, shared);
  return shared;
}
