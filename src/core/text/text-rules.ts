import type { WrittenSnippet } from '../written-snippet.ts';
import type { ControlCommand } from './control-commands.ts';
import { type FillerLevel, withoutFillers } from './fillers.ts';
import { fitToPlace, type PlaceRules, type Surroundings } from './fit-to-place.ts';
import { writeNumbers } from './numbers.ts';
import { createWordCorrector, type OrdinaryWords } from './own-words.ts';
import { createReplacer, type Replacement } from './replacements.ts';
import { carryOutCommands } from './spoken-commands.ts';
import { isBlank } from './tokens.ts';
import type { VocabularyEntry } from './vocabulary.ts';

/** Which rules are applied to what was heard. */
export type TextRuleChoices = {
  /** Names and terms of one's own. @default true */
  readonly ownWords: boolean;
  /** "ny rad", "nytt stycke". @default true */
  readonly structure: boolean;
  /** "punkt", "frågetecken", "versal": many recognisers punctuate by themselves. @default false */
  readonly marks: boolean;
  /**
   * "stryk det", "ångra", "stoppa", where a live piece is nothing else; and where its last sentence
   * is nothing else than one of the first two, the sentence before it goes. @default true
   */
  readonly control: boolean;
  /** Digits and units by the language's writing rules. @default false */
  readonly numbers: boolean;
  /** @default 'light' */
  readonly fillers: FillerLevel;
  /** Snippets for what is said. @default true */
  readonly replacements: boolean;
};

/** As somebody has it who has chosen nothing. */
export const DEFAULT_TEXT_RULES: TextRuleChoices = {
  ownWords: true,
  structure: true,
  marks: false,
  control: true,
  numbers: false,
  fillers: 'light',
  replacements: true,
};

/** Every rule off: a text comes out byte for byte. */
export const NO_TEXT_RULES: TextRuleChoices = {
  ownWords: false,
  structure: false,
  marks: false,
  control: false,
  numbers: false,
  fillers: 'off',
  replacements: false,
};

/** Own words, snippets, and which rules count, as they are given; all may be left out. */
export type GivenTextRules = {
  /** Names and terms, each by itself or with how it sounds. @default none */
  readonly vocabulary?: readonly (string | VocabularyEntry)[];
  /** Texts to write in place of spoken words. @default none */
  readonly replacements?: readonly Replacement[];
  /**
   * The rules that differ from `DEFAULT_TEXT_RULES`; false is none at all; `stored` are those that
   * the person keeps in this browser, with words and snippets of their own beside the given ones.
   * @default the defaults
   */
  readonly rules?: 'stored' | false | Partial<TextRuleChoices>;
};

/** The rules themselves, whole. */
export function chosenRules(rules: Exclude<GivenTextRules['rules'], 'stored'>): TextRuleChoices {
  return rules === false ? NO_TEXT_RULES : { ...DEFAULT_TEXT_RULES, ...rules };
}

/** A vocabulary whose words may stand by themselves. */
export function entriesOf(vocabulary: GivenTextRules['vocabulary'] = []): VocabularyEntry[] {
  return vocabulary.map((entry) => (typeof entry === 'string' ? { write: entry } : entry));
}

/** The settings of the rules; compiled once, then applied to many texts. */
export type TextRuleSettings = {
  readonly rules: TextRuleChoices;
  /** @default none */
  readonly vocabulary?: readonly VocabularyEntry[];
  /** @default none */
  readonly replacements?: readonly Replacement[];
  /** A dictionary, if there is one: its words are left alone. @default a small list of words */
  readonly isOrdinary?: OrdinaryWords;
};

/** One text's language, time and place. */
export type HeardText = {
  /** Code of the language it is in, such as `sv` or `en-GB`; of others most rules know nothing. */
  readonly language: string;
  /** True for a live piece between two pauses: as a whole it may be a control command. */
  readonly standsAlone?: boolean;
  /** For date and time in snippets. */
  readonly now: Date;
  /** Where it goes, if that is known already. @default fitted by the field, when it goes in */
  readonly place?: Surroundings & PlaceRules;
};

/** A text after the rules. */
export type RuledText = {
  readonly text: string;
  /** Nothing to insert: only fillers, or a command. A line break counts as something. */
  readonly isEmpty: boolean;
  /** The control command that the text was; null for text. */
  readonly command: ControlCommand | null;
  /** The parts that snippets wrote, for the insertion: see `PlaceRules`. */
  readonly snippets: readonly WrittenSnippet[];
  /** The caret's place in `text`, in UTF-16 units; null: behind it. */
  readonly cursor: number | null;
  /** True for an end that the rules of the place must leave to the letter. */
  readonly fixed: { readonly start: boolean; readonly end: boolean };
  /** The full stop that was left out because the sentence goes on at the place; else empty. */
  readonly owed: string;
};

/** Own words that have a capital, by their first words. */
function namesOf(vocabulary: readonly VocabularyEntry[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { write } of vocabulary) {
    const first = /^\S+/.exec(write)?.[0] ?? '';
    // Capitals throughout are never lowered, so only names in mixed case matter.
    if (/^\p{Lu}\p{Ll}/u.test(write)) names.set(first, [...(names.get(first) ?? []), write]);
  }
  return names;
}

/** The own name at the text's beginning, which keeps its capital inside a sentence too. */
function nameAtStart(text: string, names: ReadonlyMap<string, string[]>): WrittenSnippet | null {
  const first = /^[\p{L}\p{M}\p{N}-]+/u.exec(text)?.[0];
  const found = first === undefined ? [] : (names.get(first) ?? []);
  const write = found.find((name) => text.startsWith(name));
  return write === undefined ? null : { text: write, cursor: null };
}

/**
 * The one list of rules, in its order: own words, commands, numbers, fillers, snippets, and last of
 * all the place. With every rule off a text comes out byte for byte. Linear time.
 */
export function createTextRules({
  rules,
  vocabulary = [],
  replacements = [],
  isOrdinary,
}: TextRuleSettings) {
  const correctors = new Map<string, (text: string) => string>();
  const replace = createReplacer(rules.replacements ? replacements : []);
  const names = rules.ownWords ? namesOf(vocabulary) : new Map<string, string[]>();

  /** They are spelled as they sound in a language: each is read when it is first heard. */
  function correctorOf(language: string): (text: string) => string {
    const code = language.slice(0, 2).toLowerCase() === 'en' ? 'en' : 'sv';
    const known = correctors.get(code);
    if (known !== undefined) return known;
    const corrector = createWordCorrector(rules.ownWords ? vocabulary : [], code, isOrdinary);
    correctors.set(code, corrector);
    return corrector;
  }

  return function applyTextRules(heard: string, given: HeardText): RuledText {
    const { language, now, place, standsAlone = false } = given;
    const corrected = correctorOf(language)(heard);
    const { text: carriedOut, command } = carryOutCommands(corrected, language, {
      ...rules,
      control: rules.control && standsAlone,
    });
    const counted = rules.numbers ? writeNumbers(carriedOut, language) : carriedOut;
    const spoken = withoutFillers(counted, language, rules.fillers);
    const written = replace(spoken, { now, language });
    const { text: replaced, cursor } = written;
    const name = nameAtStart(replaced, names);
    const snippets = name === null ? written.snippets : [...written.snippets, name];
    const fixed = { ...written.fixed, start: written.fixed.start || name !== null };
    const fitted = place && fitToPlace(replaced, place, { ...place, fixed });
    const { text, owed } = fitted ?? { text: replaced, owed: '' };
    // Said, it is a line break; heard, it is what recognisers put round a silence.
    const isBreak = !isBlank(heard) && text.includes('\n');
    return { text, isEmpty: isBlank(text) && !isBreak, command, snippets, cursor, fixed, owed };
  };
}
