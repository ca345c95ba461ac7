/** A rule that is `inactive` lacks its word list, and changes nothing. */
type TextRuleState = 'active' | 'inactive';

/** The rules that a request wants for its text. */
export type TextRuleWishes = {
  /** Mask personal data. */
  readonly removePii: boolean;
  /** Correct the spelling. */
  readonly fixSpelling: boolean;
  /** Language of the text, such as `en`. */
  readonly language: string;
};

/**
 * The outcome of a rule: `off` was not wished, `inactive` is not there (no dictionaries), `failed`
 * could not be applied, and the text is as it was before.
 */
type RuleOutcome = 'off' | 'applied' | 'inactive' | 'failed';

/** The outcome of each rule. */
export type RuleOutcomes = { readonly removePii: RuleOutcome; readonly fixSpelling: RuleOutcome };

/** A text after the rules. */
export type RuledText = { readonly text: string; readonly outcomes: RuleOutcomes };

/** The state of each rule. */
export type TextRuleStates = {
  readonly removePii: TextRuleState;
  readonly fixSpelling: TextRuleState;
};

/** The rules for a text that was recognised. */
export type TextRules = {
  /** The states that the health answer tells. */
  readonly states: TextRuleStates;
  /**
   * The text after the wished rules, and what became of them. Rejects when personal data was to be
   * masked and could not be: masking never fails open. Must not log the text.
   */
  apply(text: string, wishes: TextRuleWishes): Promise<RuledText>;
};

/** The outcomes when each rule that is active is applied. */
export function outcomesOf(wishes: TextRuleWishes, states: TextRuleStates): RuleOutcomes {
  return {
    removePii: outcomeOf(wishes.removePii, states.removePii),
    fixSpelling: outcomeOf(wishes.fixSpelling, states.fixSpelling),
  };
}

function outcomeOf(isWished: boolean, state: TextRuleState): RuleOutcome {
  if (!isWished) return 'off';
  return state === 'active' ? 'applied' : 'inactive';
}

const NO_RULES: TextRuleStates = { removePii: 'inactive', fixSpelling: 'inactive' };

/** No rules yet: hands the text on as it is, and says so instead of pretending. */
export const inactiveTextRules: TextRules = {
  states: NO_RULES,
  apply: async (text, wishes) => ({ text, outcomes: outcomesOf(wishes, NO_RULES) }),
};
