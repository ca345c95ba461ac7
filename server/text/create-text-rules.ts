import { correctSpelling, type SpellerSource, tidyText } from './correct-spelling.ts';
import { maskPersonalData } from './mask-personal-data.ts';
import { outcomesOf, type TextRuleStates, type TextRules } from './text-rules.ts';

/** The parts that the rules need. */
type TextRulePorts = {
  readonly spellers: SpellerSource;
  /** In lower case: what the person or operator is known to say; never corrected. @default none */
  readonly ownWords?: ReadonlySet<string>;
  /**
   * Called with the reason why the dictionaries cannot be read; masking goes on, and health reports
   * the rest.
   */
  readonly onFailure: (error: unknown) => void;
};

/** The rules of a real server, and when their dictionaries are read. */
type LoadableTextRules = TextRules & {
  /** Reads the dictionaries; never rejects. Until then spelling is `inactive`. */
  load(): Promise<void>;
};

/** Masks first, so that a correction cannot turn a number into something no rule knows. */
export function createTextRules({
  spellers,
  ownWords = new Set(),
  onFailure,
}: TextRulePorts): LoadableTextRules {
  let states: TextRuleStates = { removePii: 'active', fixSpelling: 'inactive' };

  function fixed(text: string, language: string): string {
    const speller = spellers.of(language);
    return tidyText(speller === null ? text : correctSpelling(text, speller, ownWords));
  }

  return {
    get states() {
      return states;
    },
    async load() {
      try {
        await spellers.load();
        states = { ...states, fixSpelling: 'active' };
      } catch (error) {
        onFailure(error);
      }
    },
    async apply(text, wishes) {
      const outcomes = outcomesOf(wishes, states);
      const masked = wishes.removePii ? maskPersonalData(text, wishes.language) : text;
      if (outcomes.fixSpelling !== 'applied') return { text: masked, outcomes };
      try {
        return { text: fixed(masked, wishes.language), outcomes };
      } catch {
        // Masked words stay masked, and a slip is better than no words.
        return { text: masked, outcomes: { ...outcomes, fixSpelling: 'failed' } };
      }
    },
  };
}
