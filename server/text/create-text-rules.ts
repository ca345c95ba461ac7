import type { TextRuleState, TextRules } from '../text-rules.ts';
import { correctSpelling } from './correct-spelling.ts';
import { maskPersonalData } from './mask-personal-data.ts';
import type { SpellerSource } from './speller.ts';
import { tidyText } from './tidy-text.ts';

/** What the rules need. */
export type TextRulePorts = {
  readonly spellers: SpellerSource;
  /** Told why the dictionaries cannot be read; masking goes on, and health says what does not. */
  readonly onFailure: (error: unknown) => void;
};

/** The rules of a real server, and when their dictionaries are read. */
export type LoadableTextRules = TextRules & {
  /** Reads the dictionaries; never rejects. Until then spelling is `inactive`. */
  load(): Promise<void>;
};

/** Lets requests, health checks among them, go between two words. */
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Masks first, so that a correction cannot turn a number into something no rule knows. */
export function createTextRules({ spellers, onFailure }: TextRulePorts): LoadableTextRules {
  let fixSpelling: TextRuleState = 'inactive';

  async function fixed(text: string, language: string): Promise<string> {
    const speller = spellers.of(language);
    const words = speller === null ? text : await correctSpelling(text, speller, pause);
    return tidyText(words);
  }

  return {
    get states() {
      return { removePii: 'active', fixSpelling } as const;
    },
    async load() {
      try {
        await spellers.load();
        fixSpelling = 'active';
      } catch (error) {
        onFailure(error);
      }
    },
    async apply(text, wishes) {
      const masked = wishes.removePii ? maskPersonalData(text, wishes.language) : text;
      return wishes.fixSpelling && fixSpelling === 'active'
        ? fixed(masked, wishes.language)
        : masked;
    },
  };
}
