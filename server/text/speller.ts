/** Knows the words of one language, and what else may be right in a text of it. */
export type Speller = {
  /**
   * Whether a word in lower case may be meant as it stands: a word of any language with a
   * dictionary, in small letters, with a capital or in capitals, or a rare one (a name, a medicine,
   * a place).
   */
  mayBeRight(word: string): boolean;
  /** Its place among the words most used in the language, from 0; null for any other. */
  rankOf(word: string): number | null;
};

/** Where spellers come from; null without a dictionary. Rejects when one cannot be read. */
export type SpellerSource = {
  /** Reads the dictionaries; afterwards `of` answers at once. */
  load(): Promise<void>;
  of(language: string): Speller | null;
};
