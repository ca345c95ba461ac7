/** What a snippet wrote of a text, to the letter. */
export type WrittenSnippet = {
  readonly text: string;
  /** Where in it the caret is wanted, in UTF-16 units; null where nobody said. */
  readonly cursor: number | null;
};
