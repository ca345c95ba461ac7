import { createRoot } from 'react-dom/client';
import type { Dictation } from './core/contracts/dictation.ts';
import { DikteraError } from './core/errors.ts';
import { pageDictation } from './create-dictation.ts';
import { isTextControl } from './field/dom.ts';
import type { EditableField } from './field/editable-field.ts';
import { attachNewlineRule, attachPlainTextPaste } from './field/field-rules.ts';
import { shareField } from './field/shared-field.ts';
import { AttachedField, createToolsHost } from './widget/AttachedField.tsx';
import { Boundary } from './widget/Boundary.tsx';
import type { DictationChoices, InterfaceLanguage } from './widget/options.ts';
import { InterfaceLanguageProvider } from './widget/strings.tsx';

export type { InsertOptions, InsertOutcome, PieceTrail } from './field/editable-field.ts';
export type { Spacing } from './field/insertion-text.ts';
export type { SavedCursor } from './field/saved-cursors.ts';
export type { DictationChoices } from './widget/options.ts';
export { INTERFACE_LANGUAGES } from './widget/options.ts';
export type { EditableField, InterfaceLanguage };

/** Options of `attachDictation`; all may be left out. */
export type AttachOptions = DictationChoices & {
  /** @default the page's own, `pageDictation()` */
  readonly dictation?: Dictation;
  /**
   * The toolbar at the caret, and what goes on while recording. False shows nothing. @default true
   */
  readonly toolbar?: boolean;
  /**
   * Pasting brings in plain text only, and three newlines become two.
   * @default true for a text area and an input; a rich editor keeps its own rules
   */
  readonly plainText?: boolean;
  /** The language of Diktera's own texts; what is spoken may be in another. @default 'sv' */
  readonly interfaceLanguage?: InterfaceLanguage;
};

/**
 * The answer of `attachDictation`: a function that detaches, with the field's commands on it.
 */
export type Attachment = {
  /**
   * Takes the tools away. What is being recorded is ended, and texts still go to their places, late
   * ones too, for as long as the element is on the page. Harmless when done twice.
   */
  (): void;
  /** Records, with the cursor where it is now, or was last. */
  start(): void;
  /** Ends what this field records; fulfilled when the text has been delivered. */
  stop(): Promise<void>;
};

const attachments = new WeakMap<HTMLElement, Attachment>();

/**
 * Lets one dictate into an element of any page: a text area, an input, an element with
 * `contenteditable`, or an editor by its adapter. Attached once more, an element has the new
 * options.
 *
 * Throws `bad-option` for an element that can't be dictated into, or one in another document: a
 * frame calls this by itself.
 */
export function attachDictation(
  target: HTMLElement | EditableField,
  options: AttachOptions = {},
): Attachment {
  const isAdapter = 'caretRect' in target;
  const element = isAdapter ? target.element : target;
  if (element.ownerDocument !== document) {
    throw new DikteraError('bad-option', 'The element is in another document: call this there');
  }
  attachments.get(element)?.();
  // An adapter is its maker's to dispose of.
  const { field, leave } = isAdapter ? { field: target, leave: () => {} } : shareField(element);
  const isControl = isTextControl(element);
  const rules = (options.plainText ?? isControl) ? [attachNewlineRule(element)] : [];
  // A control takes nothing but plain text by itself, and the page may handle what is pasted.
  if (options.plainText && !isControl) rules.push(attachPlainTextPaste(element));
  const host = createToolsHost(element);
  const root = createRoot(host.inside);
  let isAttached = true;

  type Commands = Pick<Attachment, 'start' | 'stop'>;
  const ready = new Promise<Commands>((resolve) => {
    root.render(
      <InterfaceLanguageProvider language={options.interfaceLanguage ?? 'sv'}>
        <Boundary>
          <AttachedField
            dictation={options.dictation ?? pageDictation()}
            field={field}
            host={host}
            choices={{ ...options, spacing: options.spacing ?? 'smart' }}
            hasToolbar={options.toolbar ?? true}
            onReady={resolve}
          />
        </Boundary>
      </InterfaceLanguageProvider>,
    );
  });

  const stop = async (): Promise<void> => (await ready).stop();
  const detach = (): void => {
    if (!isAttached) return;
    isAttached = false;
    if (attachments.get(element) === attachment) attachments.delete(element);
    for (const end of rules) end();
    void stop().finally(leave);
    // Not while React may be drawing: this may be called from an effect.
    void ready.then(() => {
      root.unmount();
      host.element.remove();
    });
  };
  const attachment = Object.assign(detach, {
    start(): void {
      if (!isAttached) return;
      host.place();
      void ready.then((commands) => isAttached && commands.start());
    },
    stop,
  });
  attachments.set(element, attachment);
  return attachment;
}
