import { createEditableField } from './create-editable-field.ts';
import type { EditableField } from './editable-field.ts';
import { watchRemoval } from './field-watches.ts';

/** An element's field, for as long as it is wanted here. */
type FieldShare = {
  readonly field: EditableField;
  /**
   * It is not wanted here any more. Where nobody wants it, it is disposed of as soon as no saved
   * cursor waits for its text, or the element is gone. Harmless when done twice.
   */
  leave(): void;
};

const fields = new WeakMap<HTMLElement, SharedField>();

/**
 * The element's one field. It lives on while a text is still on its way to its place, so that the
 * next attachment uses it, too, and cursors stand in the order they were saved. Throws as
 * `createEditableField` does.
 */
export function shareField(element: HTMLElement): FieldShare {
  const shared = fields.get(element) ?? openField(element);
  const share: FieldShare = {
    field: shared.field,
    leave() {
      if (shared.shares.delete(share)) shared.tidy();
    },
  };
  shared.shares.add(share);
  return share;
}

type SharedField = {
  readonly field: EditableField;
  readonly shares: Set<FieldShare>;
  /** Disposes of the field if nobody needs it any more. */
  readonly tidy: () => void;
};

function openField(element: HTMLElement): SharedField {
  const shares = new Set<FieldShare>();
  let isUsed = false;
  let unwatch: (() => void) | null = null;

  const tidy = (): void => {
    if (shares.size > 0 || fields.get(element) !== shared) return;
    unwatch ??= watchRemoval(element, tidy);
    if (isUsed && element.isConnected) return;
    unwatch();
    fields.delete(element);
    field.dispose();
  };
  const field = createEditableField(element, {
    onUse(isUsedNow) {
      isUsed = isUsedNow;
      tidy();
    },
    valueInputs,
  });
  const shared: SharedField = { field, shares, tidy };
  fields.set(element, shared);
  return shared;
}

let fetching: Promise<typeof import('./value-input.ts') | null> | null = null;

/** Fetched for the first input of type email or number. */
function valueInputs(): NonNullable<typeof fetching> {
  fetching ??= import('./value-input.ts').catch(() => {
    fetching = null;
    return null;
  });
  return fetching;
}
