import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import { shareField } from '../field/shared-field.ts';
import { type AttachChoices, type Attached, type AttachWays, attach } from '../widget/attach.tsx';
import { insertHere } from '../widget/insertions.ts';
import type { KeySource } from '../widget/push-to-talk.ts';
import { createCopyPanel } from './copy-panel.tsx';
import { createDistantDictation } from './distant-dictation.ts';
import { editContextOf } from './edit-context.ts';
import { editContextField } from './edit-context-field.ts';

/** The tools of a frame's fields: those of `attachDictation`, led by the distant dictation. */
export type FieldTools = ReturnType<typeof createFieldTools>;

/**
 * Loaded at the first press in a frame. `keys` come before the page's own listeners. `onCutOff` is
 * called when the extension is gone: no dictation is possible here any more, and words already
 * spoken are kept.
 */
export function createFieldTools(keys: KeySource, onCutOff: () => void) {
  const attached = new Map<HTMLElement, Attached<AttachChoices>>();
  /** Fields that are to be spoken into, of which the dictation may not have heard yet. */
  const starting = new Set<HTMLElement>();
  const dictation = createDistantDictation({
    onCutOff() {
      for (const detach of attached.values()) detach();
      panel.close();
      attached.clear();
      onCutOff();
    },
  });
  const panel = createCopyPanel(dictation);
  const ways: AttachWays<AttachChoices> = {
    shadow: 'closed',
    keys,
    dictationOf: () => dictation,
    known: (choices) => choices,
  };

  /** Detaches a field. */
  function leave(field: HTMLElement): void {
    attached.get(field)?.();
    attached.delete(field);
  }

  /** Attaches a field, or gives one that is attached other choices. */
  function attachTo(field: HTMLElement, choices: AttachChoices): Attached<AttachChoices> {
    for (const element of attached.keys()) if (!element.isConnected) leave(element);
    const known = attached.get(field);
    known?.setOptions(choices);
    const target = editContextOf(field) ? editContextField(field) : field;
    const attachment = known ?? attach(target, { spacing: 'smart', ...choices }, ways);
    attached.set(field, attachment);
    return attachment;
  }

  return {
    leave,
    panel,
    has: (field: HTMLElement): boolean => attached.has(field),
    attach: (field: HTMLElement, choices: AttachChoices): void => void attachTo(field, choices),
    /** Attaches a field, and records. */
    start(field: HTMLElement, choices: AttachChoices): void {
      const attachment = attachTo(field, choices);
      starting.add(field);
      void attachment.start().finally(() => starting.delete(field));
    },
    /** Ends what is recorded in a field, or about to be; false if nothing is. */
    end(field: HTMLElement): boolean {
      const { session } = dictation.getSnapshot();
      const isOn = session.isRecording || session.phase === 'starting' || starting.has(field);
      if (isOn) void attached.get(field)?.stop();
      return isOn;
    },
    /** Puts a text to the place in a field where its cursor is, or was. */
    async insert(element: HTMLElement, text: string): Promise<DeliveryVerdict> {
      if (editContextOf(element))
        return insertHere(editContextField(element), text, { spacing: 'smart' });
      const { field, leave } = shareField(element);
      const verdict = await insertHere(field, text, { spacing: 'smart' });
      leave();
      return verdict;
    },
  };
}
