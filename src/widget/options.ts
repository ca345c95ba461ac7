import type { Ref } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { GivenSessionOptions } from '../core/options/dictation-options.ts';
import type { EditableField } from '../field/editable-field.ts';
import type { Spacing } from '../field/insertion-text.ts';

/** Languages of the interface. */
export const INTERFACE_LANGUAGES = { sv: 'Svenska', en: 'English' } as const;
export type InterfaceLanguage = keyof typeof INTERFACE_LANGUAGES;

/** Which element holds the text: a `contenteditable`, a text area, or an input of one line. */
export type FieldKind = 'editable' | 'textarea' | 'input';

/** Props that every field of a form has; the names are React's. */
export type FieldTextProps = {
  /** The field's name, for those who cannot see it. */
  readonly label: string;
  /** Which element. @default 'editable' */
  readonly as?: FieldKind;
  /** The text, when the parent keeps it: set it anew in `onChange`, or the change is taken back. */
  readonly value?: string;
  /** The text at first, when the field keeps it itself. @default '' */
  readonly defaultValue?: string;
  /** Called with the whole text after each change by the user or a dictation. */
  readonly onChange?: (text: string) => void;
  /** Nothing can be done with it, and a form leaves it out. @default false */
  readonly disabled?: boolean;
  /** The text can be read and copied, not changed. @default false */
  readonly readOnly?: boolean;
  /** Shown while it is empty. */
  readonly placeholder?: string;
  /** The name under which a form sends the text. */
  readonly name?: string;
  /** Gets the element itself. */
  readonly ref?: Ref<HTMLElement>;
};

/** Choices for the dictations into a field. */
export type DictationChoices = {
  /** Options of its recordings, over the dictation element's own. */
  readonly options?: GivenSessionOptions;
  /** The microphone to use; null chooses. @default null */
  readonly deviceId?: string | null;
  /** Record the sound of a tab too. @default false */
  readonly tabSound?: boolean;
  /** The blanks around a dictation. @default 'spec'; 'smart' for an attached element */
  readonly spacing?: Spacing;
  /** With `options.live`: shows at the caret what is being said. @default true */
  readonly showsWords?: boolean;
  /**
   * Shows the level meter: at the caret while the toolbar is there, in the recording bar else. Of
   * all that is shown it costs most. @default true
   */
  readonly levelMeter?: boolean;
  /**
   * The key for talking, as `KeyboardEvent.key` names it: held, it talks while it is down; tapped,
   * it starts and stops. Null for none. @default 'F9'
   */
  readonly pushToTalkKey?: string | null;
};

/** Commands of a field. */
export type FieldCommands = {
  /** Starts, with the cursor where it is now. Nothing happens while anything is recorded. */
  start(): void;
  /** Ends what this field records, if it does; fulfilled when the text has been delivered. */
  stop(): Promise<void>;
};

/** Options of `DictationField`. */
export type DictationFieldProps = FieldTextProps &
  DictationChoices & {
    /** Several fields may share one: the text goes to the field in which Diktera was pressed. */
    readonly dictation: Dictation;
    /** Called with the field when it is mounted, and with null when it goes. */
    readonly onField?: (field: EditableField | null) => void;
    /** Called with the field's commands when it is mounted. */
    readonly onReady?: (commands: FieldCommands) => void;
  };
