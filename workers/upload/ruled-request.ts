import { sleep } from '../../src/core/async.ts';
import { isBlank } from '../../src/core/blank-text.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { TranscriptionOptions } from '../../src/core/options/dictation-options.ts';
import type { ChunkWords } from '../../src/core/queue/queue-item.ts';
import { SPOKEN_CONTROL } from '../../src/core/queue/taken-back.ts';
import type { GivenTextRules } from '../../src/core/text/text-rules.ts';
import type { RuleBook } from './rule-book.ts';
import type { TranscribeRequest } from './transcribe-request.ts';

/** A text that came does not wait longer for its rules: it stays as it was heard. */
const PATIENCE_MS = 5_000;

/** A text by the rules. */
type Ruled = Pick<ChunkWords, 'text' | 'snippets'>;

/** The rules for texts as the worker has them: fetched when the first sound is sent. */
export type WorkerRules = ReturnType<typeof createWorkerRules>;

/** Nothing here rejects, or keeps a text for more than a moment. */
export function createWorkerRules(
  given: GivenTextRules,
  ports: {
    readonly clock: Clock;
    readonly log: Logger;
    /** The version of what the server's operator has, null for nothing. @default nothing */
    readonly sharedVersion?: () => string | null;
    /** Fetches it. */
    readonly fetchShared?: () => Promise<unknown>;
  },
) {
  const { clock, log, sharedVersion = () => null, fetchShared = async () => null } = ports;
  let loading: Promise<RuleBook | null> | null = null;

  const isOff = given.rules === false;

  function load(): Promise<RuleBook | null> {
    loading ??= import('./rule-book.ts').then(
      ({ createRuleBook }) => createRuleBook(given, fetchShared),
      (thrown: unknown) => {
        log.warn('The rules for texts could not be fetched', thrown);
        loading = null;
        return null;
      },
    );
    return loading;
  }

  /** The rules as they are now; null where they cannot be had. */
  async function rulesNow() {
    const book = await load();
    await book?.share(sharedVersion());
    return book?.now() ?? null;
  }

  async function ruled(heard: string, language: string, standsAlone: boolean): Promise<Ruled> {
    const rules = await rulesNow();
    if (!rules) return { text: heard };
    const now = new Date(clock.nowMs());
    const { text, isEmpty, command, snippets } = rules.apply(heard, { language, now, standsAlone });
    if (command) return { text: SPOKEN_CONTROL[command] };
    return { text: isEmpty ? '' : text, ...(snippets.length > 0 && { snippets }) };
  }

  async function inTime<Value>(work: Promise<Value>, instead: Value): Promise<Value> {
    const waiting = new AbortController();
    const late = sleep(clock, PATIENCE_MS, waiting.signal).then(() => instead);
    try {
      return await Promise.race([work, late]);
    } catch (thrown) {
      log.error('The rules for texts failed', thrown);
      return instead;
    } finally {
      waiting.abort();
    }
  }

  return {
    /** A recogniser's answer without the line breaks that it puts round a text; whole with no rules. */
    heardIn: (answer: string): string => (!isOff && answer.includes('\n') ? answer.trim() : answer),
    /** Own words for a server that takes so many characters of them; empty without. */
    async vocabulary(most: number): Promise<string> {
      if (isOff || most === 0) return '';
      return inTime(
        rulesNow().then((rules) => rules?.prompt(most) ?? ''),
        '',
      );
    },
    /** Has them at hand when the answer comes. */
    prepare(): void {
      if (!isOff) rulesNow().catch(() => {});
    },
    /**
     * The text by the rules; as it was heard where they are off, cannot be had, or fail. Of a live
     * piece (`standsAlone`) that is nothing but a command, what is wanted: see `SPOKEN_CONTROL`.
     */
    async apply(heard: string, language: string, standsAlone = false): Promise<Ruled> {
      const plain = { text: heard };
      return isOff ? plain : inTime(ruled(heard, language, standsAlone), plain);
    },
  };
}

/** The language of a text, as far as anybody knows. */
export function languageOf({ language, likelyLanguages = [] }: TranscriptionOptions): string {
  return language || (likelyLanguages.find((tag) => tag !== '') ?? '');
}

/**
 * Has the rules applied to each text that comes, before anybody else sees it; what was heard stays
 * beside it. White space alone is nothing: a line break in it was not said.
 */
export function withTextRules(request: TranscribeRequest, rules: WorkerRules): TranscribeRequest {
  return async (item, signal) => {
    rules.prepare();
    const outcome = await request(item, signal);
    if (outcome.kind !== 'answered') return outcome;
    const heard = isBlank(outcome.text) ? '' : rules.heardIn(outcome.text);
    const ruled = await rules.apply(heard, languageOf(item.options), item.isLive);
    return { ...outcome, ...ruled, ...(ruled.text !== heard && { heard }) };
  };
}
