/** The part of a text that a snippet wrote, to the letter. */
export type WrittenSnippet = {
  readonly text: string;
  /** The caret's place in `text`, in UTF-16 units; null where the snippet sets none. */
  readonly cursor: number | null;
};
