import type { Clock } from '../../src/core/clock.ts';
import {
  outcomesOf,
  type RuledText,
  type TextRuleStates,
  type TextRules,
  type TextRuleWishes,
} from './text-rules.ts';
import { startTextThread, type TextThread } from './text-thread.ts';

/** What the rules need. */
export type ThreadedTextRulePorts = {
  readonly clock: Clock;
  /** What the operator told the engine to expect; such words are never corrected. @default none */
  readonly ownWords?: readonly string[];
  /** Told why dictionaries cannot be read, or how a thread ended; never anything of a text. */
  readonly onFailure: (error: Error) => void;
  /** For one rule and a text of so many characters, in ms. @default textTimeLimitMs */
  readonly timeLimitMs?: (characters: number) => number;
  /** @default startTextThread */
  readonly startThread?: typeof startTextThread;
};

/** The rules of a real server, off its main thread. */
export type ThreadedTextRules = TextRules & {
  /** Starts the thread and reads the dictionaries; `inactive` until then. Never rejects. */
  load(): Promise<void>;
  dispose(): Promise<void>;
};

/** The words of a prompt, in lower case. */
export function wordsOf(prompt: string): readonly string[] {
  return prompt.toLowerCase().match(/\p{L}+/gu) ?? [];
}

/** For a machine that is busy with other things. */
const FIRST_MS = 1_000;
/** Characters made to be hard take 0.1 ms each at most, speech a hundredth of that. */
const MS_PER_CHARACTER = 0.3;
const MAX_MS = 10_000;

/** How long one rule may take for a text, in ms: 1.4 s for 90 s of speech, 4 s for ten minutes. */
export function textTimeLimitMs(characters: number): number {
  return Math.min(MAX_MS, FIRST_MS + MS_PER_CHARACTER * characters);
}

/**
 * Applies the rules in a thread, one text after the other. A text that was to be masked and cannot
 * be is not handed out: `apply` rejects. Where only the spelling fails the text stays as it is and
 * says so: the words count more. A thread that fails or takes too long is replaced at once.
 */
export function createThreadedTextRules(ports: ThreadedTextRulePorts): ThreadedTextRules {
  const { clock, ownWords = [], onFailure, timeLimitMs = textTimeLimitMs } = ports;
  const { startThread = startTextThread } = ports;
  let states: TextRuleStates = { removePii: 'active', fixSpelling: 'inactive' };
  let thread: TextThread | null = null;
  let isDisposed = false;
  /** Never rejects. */
  let lastTurn: Promise<unknown> = Promise.resolve();

  function running(): TextThread {
    if (thread === null || thread.isOver()) thread = startThread({ ownWords }, clock);
    return thread;
  }

  /** One wish, in its turn; rejects when it cannot be fulfilled. */
  function ask(text: string, wishes: TextRuleWishes): Promise<RuledText> {
    const turn = lastTurn.then(() => running().ask({ text, wishes }, timeLimitMs(text.length)));
    lastTurn = turn.catch((cause: unknown) => {
      onFailure(errorOf(cause));
      // The next text finds it started.
      if (!isDisposed) running();
    });
    return turn;
  }

  return {
    get states() {
      return states;
    },
    async load() {
      try {
        const reason = await running().ready;
        if (reason !== null) throw new Error(reason);
        states = { ...states, fixSpelling: 'active' };
      } catch (cause) {
        onFailure(errorOf(cause));
      }
    },
    async apply(text, wishes) {
      const outcomes = outcomesOf(wishes, states);
      if (text === '') return { text, outcomes };
      const masked = wishes.removePii
        ? (await ask(text, { ...wishes, fixSpelling: false })).text
        : text;
      if (!wishes.fixSpelling) return { text: masked, outcomes };
      try {
        const ruled = await ask(masked, { ...wishes, removePii: false });
        const { fixSpelling } = ruled.outcomes;
        return { text: ruled.text, outcomes: { ...outcomes, fixSpelling } };
      } catch {
        return { text: masked, outcomes: { ...outcomes, fixSpelling: 'failed' } };
      }
    },
    async dispose() {
      isDisposed = true;
      await thread?.terminate();
    },
  };
}

const errorOf = (cause: unknown) => (cause instanceof Error ? cause : new Error('not an error'));
