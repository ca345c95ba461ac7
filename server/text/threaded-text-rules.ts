import type { Clock } from '../../src/core/clock.ts';
import type { TextRuleState, TextRules, TextRuleWishes } from '../text-rules.ts';
import { startTextThread, type TextThread } from './text-thread.ts';

/** What the rules need. */
export type ThreadedTextRulePorts = {
  readonly clock: Clock;
  /** What the operator told the engine to expect; such words are never corrected. @default none */
  readonly ownWords?: readonly string[];
  /** Told why the dictionaries cannot be read, or what became of a thread; never anything of a text. */
  readonly onFailure: (error: Error) => void;
  /** For one text. @default 10000 */
  readonly timeLimitMs?: number;
  /** @default startTextThread */
  readonly startThread?: typeof startTextThread;
};

/** The rules of a real server, off its main thread. */
export type ThreadedTextRules = TextRules & {
  /** Starts the thread and reads the dictionaries; never rejects. Until then spelling is `inactive`. */
  load(): Promise<void>;
  dispose(): Promise<void>;
};

/** The words of a prompt, in lower case. */
export function wordsOf(prompt: string): readonly string[] {
  return prompt.toLowerCase().match(/\p{L}+/gu) ?? [];
}

/** 100,000 characters made to be hard take about 5 s; a text of ten minutes has a tenth of that. */
const TIME_LIMIT_MS = 10_000;

/**
 * Applies the rules in a thread, one text after the other. Where masking was asked for and cannot be done, the
 * text is not handed out: `apply` rejects. Where only the spelling fails, the text stays as it is, because
 * the words count more. A thread that fails or takes too long is ended, and the next text gets a new one.
 */
export function createThreadedTextRules(ports: ThreadedTextRulePorts): ThreadedTextRules {
  const { clock, ownWords = [], onFailure, timeLimitMs = TIME_LIMIT_MS } = ports;
  const { startThread = startTextThread } = ports;
  let fixSpelling: TextRuleState = 'inactive';
  let thread: TextThread | null = null;
  /** Never rejects. */
  let lastTurn: Promise<unknown> = Promise.resolve();

  function running(): TextThread {
    if (thread === null || thread.isOver()) thread = startThread({ ownWords }, clock);
    return thread;
  }

  async function applyNow(text: string, wishes: TextRuleWishes): Promise<string> {
    try {
      return await running().ask({ text, wishes }, timeLimitMs);
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error('not an error');
      onFailure(error);
      if (wishes.removePii) throw error;
      return text;
    }
  }

  return {
    get states() {
      return { removePii: 'active', fixSpelling } as const;
    },
    async load() {
      try {
        const reason = await running().ready;
        if (reason !== null) throw new Error(reason);
        fixSpelling = 'active';
      } catch (cause) {
        onFailure(cause instanceof Error ? cause : new Error('not an error'));
      }
    },
    async apply(text, wishes) {
      if (text === '' || !(wishes.removePii || wishes.fixSpelling)) return text;
      const turn = lastTurn.then(() => applyNow(text, wishes));
      lastTurn = turn.catch(() => undefined);
      return turn;
    },
    async dispose() {
      await thread?.terminate();
    },
  };
}
