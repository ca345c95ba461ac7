import type { Clock } from '../../src/core/clock.ts';
import { startThread } from '../children/children.ts';
import {
  outcomesOf,
  type RuledText,
  type TextRuleStates,
  type TextRules,
  type TextRuleWishes,
} from './text-rules.ts';

/** The data that the text thread is started with. */
export type TextThreadData = {
  /** In lower case; never corrected. */
  readonly ownWords: readonly string[];
};

/** A request to it; one text at a time. */
export type TextRequest = {
  readonly text: string;
  readonly wishes: TextRuleWishes;
};

/** Its messages: `ready` once, when it can be asked, then an answer to each text. */
export type TextReply =
  /** `reason`: why the dictionaries cannot be read; null when they can. */
  | { readonly kind: 'ready'; readonly reason: string | null }
  | { readonly kind: 'done'; readonly ruled: RuledText }
  /** Only the kind of error: its message may quote the text. */
  | { readonly kind: 'failed'; readonly errorName: string };

/** More than the dictionaries and rules need for the longest text. */
const MAX_HEAP_MIB = 256;

/** From source on a busy machine a start takes seconds. */
const START_LIMIT_MS = 30_000;

/** A thread that takes one text at a time; when anything goes wrong with it, it is ended. */
export type TextThread = ReturnType<typeof startTextThread>;

/** Starts one. Errors hold nothing of a text. */
export function startTextThread(data: TextThreadData, clock: Clock) {
  const worker = startThread({ program: 'text/text-worker', data, heapMib: MAX_HEAP_MIB });
  let isOver = false;
  let abandon: (error: Error) => void = () => undefined;

  function nextReply(): Promise<TextReply> {
    return new Promise((resolve, reject) => {
      abandon = reject;
      worker.once('message', resolve);
    });
  }

  function end(why: string): void {
    isOver = true;
    abandon(new Error(`the text thread ${why}`));
    void worker.terminate();
  }

  worker.on('error', () => end('broke'));
  worker.on('exit', () => end('ended'));
  const cancelStart = clock.after(START_LIMIT_MS, () => end('did not start'));
  const ready = nextReply()
    .then((reply) => (reply.kind === 'ready' ? reply.reason : null))
    .finally(cancelStart);
  // Whoever asks first hears of it.
  ready.catch(() => undefined);
  // The thread alone keeps no process alive.
  worker.unref();

  return {
    /** Why it has no dictionaries, or null; rejects when it cannot start. */
    ready,
    isOver: (): boolean => isOver,
    /** The text after the rules; rejects when one fails, the time is over or the thread ends. */
    async ask(request: TextRequest, timeLimitMs: number): Promise<RuledText> {
      await ready;
      if (isOver) throw new Error('the text thread ended');
      const reply = nextReply();
      const cancelTimer = clock.after(timeLimitMs, () => end('took too long'));
      worker.postMessage(request);
      try {
        const answer = await reply;
        if (answer.kind === 'done') return answer.ruled;
        throw new Error(`a text rule failed: ${answer.kind === 'failed' ? answer.errorName : ''}`);
      } finally {
        cancelTimer();
      }
    },
    async terminate(): Promise<void> {
      isOver = true;
      await worker.terminate();
    },
  };
}

/** The parts that the rules need. */
export type ThreadedTextRulePorts = {
  readonly clock: Clock;
  /** Words that the operator told the engine to expect; they are never corrected. @default none */
  readonly ownWords?: readonly string[];
  /**
   * Called with the reason why dictionaries cannot be read, or a thread ended; never with any text.
   */
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

/** The time one rule may take for a text, in ms: 1.4 s for 90 s of speech, 4 s for ten minutes. */
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
