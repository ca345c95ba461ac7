import { createRoot } from 'react-dom/client';
import type { Dictation, DictationSetup } from './core/contracts/dictation.ts';
import { DikteraError } from './core/errors.ts';
import { pageDictation, SETUP_NAMES } from './create-dictation.ts';
import { isTextControl } from './field/dom.ts';
import type { EditableField } from './field/editable-field.ts';
import { attachNewlineRule, attachPlainTextPaste } from './field/field-rules.ts';
import { shareField } from './field/shared-field.ts';
import { AttachedField, createToolsHost } from './widget/AttachedField.tsx';
import { Boundary } from './widget/Boundary.tsx';
import { CHOICE_NAMES, type DictationChoices, type InterfaceLanguage } from './widget/options.ts';
import { InterfaceLanguageProvider } from './widget/strings.tsx';

export type {
  FieldPlace,
  InsertOptions,
  InsertOutcome,
  PieceTrail,
} from './field/editable-field.ts';
export type { Spacing } from './field/insertion-text.ts';
export type { SavedCursor } from './field/saved-cursors.ts';
export { canDictate } from './field/text-surface.ts';
export type { DictationChoices } from './widget/options.ts';
export { INTERFACE_LANGUAGES } from './widget/options.ts';
export type { EditableField, InterfaceLanguage };

/**
 * Options of `attachDictation`; all may be left out. Those of the setup are the page's: they go to
 * `pageDictation`, where no `dictation` is given.
 */
export type AttachOptions = DictationChoices &
  Omit<DictationSetup, 'engine'> & {
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
    /**
     * The language of Diktera's own texts; what is spoken may be in another.
     * @default that of the page (`<html lang>`), else of the browser: Swedish, or English
     */
    readonly interfaceLanguage?: InterfaceLanguage;
  };

const OPTION_NAMES = [
  ...CHOICE_NAMES,
  ...SETUP_NAMES,
  'dictation',
  'toolbar',
  'plainText',
  'interfaceLanguage',
] as const satisfies readonly (keyof AttachOptions)[];

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
  /** Ends what this field records, and throws it away; see `Dictation.cancel`. */
  cancel(): void;
  /** Changes what is given of the options; a recording under way goes on as it began. */
  setOptions(options: AttachOptions): void;
};

/** Of an element that nobody can dictate into. */
const NOTHING: Attachment = Object.assign(() => {}, {
  start() {},
  stop: async () => {},
  cancel() {},
  setOptions() {},
});

const attachments = new WeakMap<HTMLElement, Attachment>();

/**
 * Lets one dictate into an element of any page: a text area, an input, an element with
 * `contenteditable`, or an editor by its adapter. Attached once more, an element has the new
 * options. A frame calls this by itself.
 *
 * Never throws, since it is called in effects: for what cannot be dictated into (`canDictate`), or
 * is in another document, it is an error in the console that says why, and a detach that does
 * nothing; an option that is none is such an error too, and the rest counts.
 */
export function attachDictation(
  target: HTMLElement | EditableField,
  options: AttachOptions = {},
): Attachment {
  try {
    return attach(target, options);
  } catch (error) {
    console.error('attachDictation:', error, target);
    return NOTHING;
  }
}

function attach(target: HTMLElement | EditableField, options: AttachOptions): Attachment {
  if (typeof target !== 'object' || target === null)
    throw new DikteraError('bad-option', `An element is wanted, not ${JSON.stringify(target)}`);
  const isAdapter = 'caretRect' in target;
  const element = isAdapter ? target.element : target;
  if (element.ownerDocument !== document) {
    throw new DikteraError('bad-option', 'The element is in another document: call this there');
  }
  attachments.get(element)?.();
  // An adapter is its maker's to dispose of.
  const { field, leave } = isAdapter ? { field: target, leave: () => {} } : shareField(element);
  const host = createToolsHost(element);
  const root = createRoot(host.inside);
  let isAttached = true;
  let given: AttachOptions = {};
  let rules: readonly (() => void)[] = [];

  type Commands = Pick<Attachment, 'start' | 'stop' | 'cancel'>;
  let onReady: (commands: Commands) => void = () => {};
  const ready = new Promise<Commands>((resolve) => {
    onReady = resolve;
  });
  const setOptions = (changes: AttachOptions): void => {
    if (!isAttached) return;
    given = { ...given, ...knownOptions(changes, OPTION_NAMES, 'attachDictation') };
    for (const end of rules) end();
    rules = isAdapter ? [] : pasteRules(element, given.plainText);
    root.render(
      <InterfaceLanguageProvider language={given.interfaceLanguage}>
        <Boundary>
          <AttachedField
            dictation={given.dictation ?? pageDictation(setupOf(given))}
            field={field}
            host={host}
            choices={{ ...given, spacing: given.spacing ?? 'smart' }}
            hasToolbar={given.toolbar ?? true}
            onReady={onReady}
          />
        </Boundary>
      </InterfaceLanguageProvider>,
    );
  };
  setOptions(options);

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
    cancel: () => void ready.then((commands) => commands.cancel()),
    setOptions,
  });
  attachments.set(element, attachment);
  return attachment;
}

function pasteRules(element: HTMLElement, plainText: boolean | undefined): (() => void)[] {
  const isControl = isTextControl(element);
  const rules = (plainText ?? isControl) ? [attachNewlineRule(element)] : [];
  // A control takes nothing but plain text by itself, and the page may handle what is pasted.
  if (plainText && !isControl) rules.push(attachPlainTextPaste(element));
  return rules;
}

/** The setup among the options of an element. */
function setupOf(options: AttachOptions): DictationSetup {
  const names: readonly string[] = SETUP_NAMES.filter((name) => name !== 'engine');
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}

/** Options that are there from a component's or an element's first moment, and that nobody mistypes. */
const UNCHECKED: ReadonlySet<string> = new Set([
  'dictation',
  'toolbar',
  'levelMeter',
  'showsWords',
]);

/**
 * The options that are some. Others, and values that cannot be, are errors in the console, each once,
 * a moment later: what says them is fetched when there is something to look at.
 */
function knownOptions<Options extends object>(
  given: Options,
  names: readonly string[],
  where: string,
): Options {
  const entries = Object.entries(given);
  if (entries.some(([name]) => !UNCHECKED.has(name))) {
    void import('./widget/check-options.ts').then(
      ({ complain }) => complain(where, given, names),
      () => {},
    );
  }
  return Object.fromEntries(entries.filter(([name]) => names.includes(name))) as Options;
}
