import type { RuledText, TextRuleWishes } from './text-rules.ts';

/** What the text thread is started with. */
export type TextThreadData = {
  /** In lower case; never corrected. */
  readonly ownWords: readonly string[];
};

/** What it is asked; one text at a time. */
export type TextRequest = {
  readonly text: string;
  readonly wishes: TextRuleWishes;
};

/** What it says: `ready` once, when it can be asked, then an answer to each text. */
export type TextReply =
  /** `reason`: why the dictionaries cannot be read; null when they can. */
  | { readonly kind: 'ready'; readonly reason: string | null }
  | { readonly kind: 'done'; readonly ruled: RuledText }
  /** Only the kind of error: its message may quote the text. */
  | { readonly kind: 'failed'; readonly errorName: string };
