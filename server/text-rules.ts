/** Whether a rule does anything yet. */
export type TextRuleState = 'active' | 'inactive';

/** What a request wants done with its text. */
export type TextRuleWishes = {
  /** Mask personal data. */
  readonly removePii: boolean;
  /** Correct the spelling. */
  readonly fixSpelling: boolean;
  /** Language of the text, such as `en`. */
  readonly language: string;
};

/** What is done to a text after it was recognised. */
export type TextRules = {
  /** What the health answer says of each rule. */
  readonly states: { readonly removePii: TextRuleState; readonly fixSpelling: TextRuleState };
  /** The text after the wished rules. Must not log it. */
  apply(text: string, wishes: TextRuleWishes): Promise<string>;
};

/** No rules yet: hands the text on as it is, and says so instead of pretending. */
export const inactiveTextRules: TextRules = {
  states: { removePii: 'inactive', fixSpelling: 'inactive' },
  apply: async (text) => text,
};
