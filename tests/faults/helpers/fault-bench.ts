import type { Page, Worker } from 'playwright';
import { expect } from 'vitest';
import { type Snapshot, samplesInPlaces } from '../../../src/core/session/snapshot.ts';
import { WORD_SAMPLES } from '../../helpers/numbered-words.ts';
import type { Bench } from '../page/bench.ts';

type BenchWindow = { readonly bench: Bench };

/** One tab with the bench page. */
export type BenchTab = {
  readonly page: Page;
  /** Waits until the worker knows its queue. */
  ready(): Promise<void>;
  start(chunkMs?: number): Promise<void>;
  /** Speaks words; the promise is fulfilled when the worker's port has them all. */
  speak(first: number, count: number, how?: SpeakHow): Promise<void>;
  stop(): Promise<void>;
  /** The words that the worker has been given whole, counted from `first`. */
  fedWords(): Promise<number>;
  snapshot(): Promise<Snapshot>;
  text(): Promise<string>;
  /** The words in the field. */
  words(): Promise<number[]>;
  /** Words in the field and then those in the list, texts in their order. */
  allWords(): Promise<number[]>;
  /** Waits until the page holds `condition`, which sees `bench`. */
  until(condition: (bench: Bench) => boolean, what: string, timeoutMs?: number): Promise<void>;
  /** Waits until the disk holds neither audio nor text, but for recordings that are kept. */
  untilDiskIsEmpty(): Promise<void>;
  run<Value>(work: (bench: Bench) => Value | Promise<Value>): Promise<Value>;
  /** Dictation workers that the page has started so far. */
  workersStarted(): number;
  /** Runs code in the dictation worker's realm. */
  inWorker(code: string): Promise<void>;
};

export type SpeakHow = {
  readonly speed?: number;
  readonly silentMs?: number;
  readonly wordSamples?: number;
};

/** The bench on a page that shows it. */
export function benchTab(page: Page): BenchTab {
  const logged: string[] = [];
  let workersStarted = page.workers().filter(isDictationWorker).length;
  page.on('worker', (worker) => {
    if (isDictationWorker(worker)) workersStarted += 1;
  });
  page.on('console', (message) => {
    if (message.type() === 'error') logged.push(message.text());
  });
  const run = <Value>(work: (bench: Bench) => Value | Promise<Value>): Promise<Value> =>
    page.evaluate(
      ([code]) => {
        const { bench } = globalThis as unknown as BenchWindow;
        return new Function('bench', `return (${code})(bench)`)(bench) as Promise<Value>;
      },
      [work.toString()] as const,
    );
  const tab: BenchTab = {
    page,
    run,
    async ready() {
      await run((bench) => bench.prepare());
      await tab.until((bench) => bench.snapshot().queue.isLoaded, 'the queue is read');
    },
    async start(chunkMs = 90_000) {
      const isOpen = await page.evaluate(
        (ms) => (globalThis as unknown as BenchWindow).bench.start(ms),
        chunkMs,
      );
      expect(isOpen).toBe(true);
    },
    speak: (first, count, how = {}) =>
      page.evaluate(
        ([number, many, manner]) =>
          (globalThis as unknown as BenchWindow).bench.speak(number, many, manner),
        [first, count, how] as const,
      ),
    stop: () => run((bench) => bench.stop().then(() => {})),
    fedWords: async () => Math.floor((await run((bench) => bench.fedSamples())) / WORD_SAMPLES),
    snapshot: () => run((bench) => bench.snapshot()),
    text: () => run((bench) => bench.text()),
    words: async () => numbersIn(await tab.text()),
    async allWords() {
      const { text, late } = await run((bench) => ({ text: bench.text(), late: bench.late() }));
      const waiting = late.map(({ state }) => (state.kind === 'answered' ? state.text : ''));
      return [text, ...waiting].flatMap(numbersIn);
    },
    async until(condition, what, timeoutMs = 30_000) {
      const code = condition.toString();
      try {
        await page.waitForFunction(
          ([source]) => {
            const { bench } = globalThis as unknown as BenchWindow;
            return new Function('bench', `return (${source})(bench)`)(bench) as boolean;
          },
          [code] as const,
          { timeout: timeoutMs, polling: 30 },
        );
      } catch (cause) {
        const { session, queue, notices, ledger } = await tab.snapshot();
        const told = JSON.stringify({
          phase: session.phase,
          states: queue.items.map(({ id, state }) => [id, state]),
          notices,
          ledger,
          text: await tab.text(),
          logged,
        });
        throw new Error(`Never came: ${what}. ${told}`, { cause });
      }
    },
    untilDiskIsEmpty: () =>
      expect
        .poll(() => page.evaluate(readStoredKeys), { message: 'on the disk', timeout: 30_000 })
        .toEqual([]),
    workersStarted: () => workersStarted,
    async inWorker(code) {
      const workers = page.workers().filter(isDictationWorker);
      const worker = workers.at(-1);
      if (!worker) throw new Error('There is no dictation worker');
      await worker.evaluate(code);
    },
  };
  return tab;
}

/** For the page: the keys of all that was spoken, in journal and queue. */
async function readStoredKeys(): Promise<unknown[]> {
  const answered = <Value>(request: IDBRequest<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const keys: unknown[] = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await answered(indexedDB.open(name ?? ''));
    for (const store of database.objectStoreNames) {
      const table = database.transaction(store).objectStore(store);
      const [own, values] = await Promise.all([
        answered(table.getAllKeys()),
        answered<unknown[]>(table.getAll()),
      ]);
      keys.push(...own.filter((_key, at) => Object(values[at]).state?.kind !== 'delivered'));
    }
    database.close();
  }
  // A recording is retained on purpose: its sound, its chunks that are delivered, its row.
  return keys.filter((key) => Array.isArray(key) && key[0] !== 'block');
}

function isDictationWorker(worker: Worker): boolean {
  return worker.url().includes('dictation.worker');
}

export function numbersIn(text: string): number[] {
  return [...text.matchAll(/w(\d+)/g)].map(([, number]) => Number(number));
}

/** The numbers from `first` on. */
export function upTo(count: number, first = 0): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** The first `count` words are there, once and in order. More may follow, in order too. */
export function expectOnceInOrder(words: readonly number[], count: number): void {
  expect(words.slice(0, count), `heard ${words.join(' ')}`).toEqual(upTo(count));
  expect(words, 'nothing twice, nothing left out').toEqual(upTo(words.length));
}

/** Words in a field when its page died, and the words of its last insertion. */
export type Stood = { readonly words: number; readonly last: number };

/** For a page that is about to die: from here on its field takes no live pieces. */
export async function wordsThatStand(tab: BenchTab): Promise<Stood> {
  const { text, lastPiece } = await tab.run((bench) => bench.endPieces());
  return { words: numbersIn(text).length, last: numbersIn(lastPiece).length };
}

/**
 * The first `count` words are there behind those that stood in a dead page's field, once and in
 * order. Only the piece that came last may be there again: it may not have been told of any more.
 */
export function expectRestInOrder(words: readonly number[], count: number, stood: Stood): void {
  const [first = stood.words] = words;
  const told = `heard ${words.join(' ')} behind ${stood.words} (${stood.last})`;
  expect([stood.words, stood.words - stood.last], told).toContain(first);
  expect(words, told).toEqual(upTo(words.length, first));
  expect(first + words.length, told).toBeGreaterThanOrEqual(count);
}

/** The account of the words adds up, and nothing is lost. */
export function expectLedgerAddsUp({ ledger }: Snapshot): void {
  expect(samplesInPlaces(ledger)).toBe(ledger.capturedSamples);
  expect(ledger.lostSamples, JSON.stringify(ledger)).toBe(0);
  expect(ledger.journalledSamples, JSON.stringify(ledger)).toBeGreaterThanOrEqual(0);
}
