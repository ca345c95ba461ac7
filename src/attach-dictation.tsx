import type { Dictation, DictationSetup, StartResult } from './core/contracts/dictation.ts';
import { pageDictation, SETUP_NAMES } from './create-dictation.ts';
import type { EditableField } from './field/editable-field.ts';
import { type AttachWays, attach } from './widget/attach.tsx';
import { CHOICE_NAMES, type DictationChoices, type InterfaceLanguage } from './widget/options.ts';
import type { OwnStrings } from './widget/own-strings.ts';

export type { WrittenSnippet } from './core/written-snippet.ts';
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
export type { OwnStrings, SomeStrings } from './widget/own-strings.ts';
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
    /** Texts of one's own in place of some of Diktera's, by language. @default none */
    readonly strings?: OwnStrings;
  };

const OPTION_NAMES = [
  ...CHOICE_NAMES,
  ...SETUP_NAMES,
  'dictation',
  'toolbar',
  'plainText',
  'interfaceLanguage',
  'strings',
] as const satisfies readonly (keyof AttachOptions)[];

/**
 * The answer of `attachDictation`: a function that detaches, with the field's commands on it.
 */
export type Attachment = {
  /**
   * Removes the tools. A running recording is ended, and texts still go to their places, late ones
   * too, for as long as the element is in the page. Harmless when done twice.
   */
  (): void;
  /**
   * Records, with the cursor where it is now, or was last. Answers as `Dictation.start` does:
   * `disposed` when detached, `bad-option` of an element that cannot be dictated into.
   */
  start(): Promise<StartResult>;
  /** Ends what this field records; fulfilled when the text has been delivered. */
  stop(): Promise<void>;
  /** Ends what this field records, and throws it away; see `Dictation.cancel`. */
  cancel(): void;
  /** Changes what is given of the options; a recording under way goes on as it began. */
  setOptions(options: AttachOptions): void;
};

/** The attachment of an element that takes no dictation. */
const NOTHING: Attachment = Object.assign(() => {}, {
  start: async (): Promise<StartResult> => ({ ok: false, reason: 'bad-option' }),
  stop: async () => {},
  cancel() {},
  setOptions() {},
});

/**
 * Lets one dictate into an element of any page: a text area, an input, an element with
 * `contenteditable`, or an editor by its adapter. Attached once more, an element has the new
 * options. A frame calls this by itself.
 *
 * Never throws, since it is called in effects: for what cannot be dictated into (`canDictate`), is
 * in another document, or is not there (a selector that found nothing, an empty ref), it is an error in the console that says why, and a detach that does
 * nothing; an option that is none is such an error too, and the rest counts.
 */
export function attachDictation(
  target: HTMLElement | EditableField | null | undefined,
  options: AttachOptions = {},
): Attachment {
  try {
    return attach(target, options, WAYS);
  } catch (error) {
    console.error('attachDictation:', error, target);
    return NOTHING;
  }
}

const WAYS: AttachWays<AttachOptions> = {
  dictationOf: (given) => given.dictation ?? pageDictation(setupOf(given)),
  known: (given) => knownOptions(given, OPTION_NAMES, 'attachDictation'),
};

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
