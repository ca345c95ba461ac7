import type { StartResult } from '../core/contracts/dictation.ts';
import {
  type GivenSessionOptions,
  SESSION_OPTION_NAMES,
} from '../core/options/dictation-options.ts';
import type { Spacing } from '../field/insertion-text.ts';

/** Languages of the interface. */
export const INTERFACE_LANGUAGES = { sv: 'Svenska', en: 'English' } as const;
export type InterfaceLanguage = keyof typeof INTERFACE_LANGUAGES;

/** Choices for the dictations into a field: options of its recordings, and of its tools. */
export type DictationChoices = GivenSessionOptions & {
  /** The microphone to use; null chooses. @default null */
  readonly deviceId?: string | null;
  /** Record the sound of a tab too. @default false */
  readonly tabSound?: boolean;
  /** The blanks around a dictation. @default 'spec'; 'smart' for an attached element */
  readonly spacing?: Spacing;
  /** With `live`: shows at the caret what is being said. @default true */
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
  /**
   * Starts, with the cursor where it is now. Nothing happens while anything is recorded. Answers as
   * `Dictation.start` does.
   */
  start(): Promise<StartResult>;
  /** Ends what this field records, if it does; fulfilled when the text has been delivered. */
  stop(): Promise<void>;
  /** Ends what this field records, if it does, and throws it away; see `Dictation.cancel`. */
  cancel(): void;
};

/** Names of the choices that are not a recording's own. */
export const CHOICE_NAMES = [
  ...SESSION_OPTION_NAMES,
  'deviceId',
  'tabSound',
  'spacing',
  'showsWords',
  'levelMeter',
  'pushToTalkKey',
] as const;

/** The recording's own options among what a field is given. */
export function recordingOptionsOf(choices: DictationChoices): GivenSessionOptions {
  const given = SESSION_OPTION_NAMES.map((name) => [name, choices[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
