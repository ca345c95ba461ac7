import type { Replacement } from './replacements.ts';
import type { GivenTextRules, TextRuleChoices } from './text-rules.ts';
import { DEFAULT_TEXT_RULES } from './text-rules.ts';
import { MAX_ENTRIES, parseVocabulary, type VocabularyEntry } from './vocabulary.ts';

/** The content of a rules file: own words, snippets and switches. */
export type RulesFile = {
  readonly vocabulary: readonly VocabularyEntry[];
  readonly replacements: readonly Replacement[];
  /** Only the switches that the file names. */
  readonly rules: Partial<TextRuleChoices>;
  /** Entries that are invalid, too long, or over the limit. */
  readonly refused: number;
};

const MAX_SAID = 80;
const MAX_WRITTEN = 10_000;

type JsonObject = { readonly [name: string]: unknown };

const toObject = (value: unknown): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= most;

function entryOf(value: unknown): VocabularyEntry | null {
  const { write, soundsLike } = toObject(value) ?? { write: value };
  if (!isText(write, MAX_SAID)) return null;
  const sounds = Array.isArray(soundsLike) ? soundsLike.filter((one) => isText(one, MAX_SAID)) : [];
  return { write: write.trim(), ...(sounds.length > 0 && { soundsLike: sounds }) };
}

function replacementOf(value: unknown): Replacement | null {
  const { say, write, needsKeyWord } = toObject(value) ?? {};
  if (!isText(say, MAX_SAID) || !isText(write, MAX_WRITTEN)) return null;
  return { say: say.trim(), write, ...(needsKeyWord === true && { needsKeyWord }) };
}

function rulesOf(value: unknown): Partial<TextRuleChoices> {
  const { fillers, ...rest } = toObject(value) ?? {};
  const switches = Object.entries(rest).filter(
    ([name, isOn]) => name in DEFAULT_TEXT_RULES && typeof isOn === 'boolean',
  );
  const isLevel = fillers === 'off' || fillers === 'light' || fillers === 'full';
  return { ...Object.fromEntries(switches), ...(isLevel && { fillers }) };
}

/** Reads what JSON says; null if it is of something else. */
export function readRulesValue(value: unknown): RulesFile | null {
  const file = toObject(value);
  if (file === null) return null;
  const { vocabulary = [], replacements = [], rules } = file;
  const isOne = 'vocabulary' in file || 'replacements' in file || 'rules' in file;
  if (!isOne || !Array.isArray(vocabulary) || !Array.isArray(replacements)) return null;
  const entries = vocabulary.flatMap((one: unknown) => entryOf(one) ?? []).slice(0, MAX_ENTRIES);
  const snippets = replacements
    .flatMap((one: unknown) => replacementOf(one) ?? [])
    .slice(0, MAX_ENTRIES);
  const given = vocabulary.length + replacements.length;
  return {
    vocabulary: entries,
    replacements: snippets,
    rules: rulesOf(rules),
    refused: given - entries.length - snippets.length,
  };
}

/**
 * Reads a file of own words and snippets: JSON as `writeRulesFile` makes it, or a list of words as
 * `parseVocabulary` takes it. Null if it is JSON of something else, or broken.
 */
export function readRulesFile(text: string): RulesFile | null {
  if (/^\s*[{[]/.test(text.slice(0, 100).replace(/^\ufeff/, ''))) {
    try {
      return readRulesValue(JSON.parse(text.replace(/^\ufeff/, '')));
    } catch {
      return null;
    }
  }
  const { entries, refused, surplus } = parseVocabulary(text);
  return { vocabulary: entries, replacements: [], rules: {}, refused: refused + surplus };
}

/** The file that `readRulesFile` reads. */
export function writeRulesFile({ vocabulary = [], replacements = [], rules }: GivenTextRules) {
  const named = typeof rules === 'object' ? { rules } : {};
  return `${JSON.stringify({ vocabulary, replacements, ...named }, null, 2)}\n`;
}
