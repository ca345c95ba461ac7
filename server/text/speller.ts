/** Knows the words of one language. */
export type Speller = {
  /** Whether a word in lower case is one. */
  knows(word: string): boolean;
};

/** Where spellers come from: null for a language without a dictionary. Rejects when one cannot be read. */
export type SpellerSource = {
  /** Reads the dictionaries; afterwards `of` answers at once. */
  load(): Promise<void>;
  of(language: string): Speller | null;
};
