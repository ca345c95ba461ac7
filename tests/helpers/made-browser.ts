import { onTestFinished } from 'vitest';
import type { StartOptions, StartResult } from '../../src/core/contracts/dictation.ts';
import type { GivenTextRules } from '../../src/core/text/text-rules.ts';
import { createDisk, type Disk, type StoreFault } from '../simulator/browser/database.ts';
import { installGlobals } from '../simulator/browser/globals.ts';
import { createLocks } from '../simulator/browser/locks.ts';
import { createMicrophone } from '../simulator/browser/microphone.ts';
import { createChannels } from '../simulator/browser/ports.ts';
import { createServer, type ServerFault } from '../simulator/browser/server.ts';
import { openTab, type Tab } from '../simulator/browser/tab.ts';
import { startFakeWorker } from '../simulator/browser/worker.ts';
import { NOBODY, type Owner } from '../simulator/owners.ts';
import { createScheduler } from '../simulator/scheduler.ts';
import { wordOf, wordsIn } from '../simulator/words.ts';
// The worker fetches it when it is needed: what is fetched takes real time, not the browser's.
import '../../workers/upload/rule-book.ts';
import '../../workers/upload/word-times.ts';

/** Faults of browser and server that a test sets, from now on. */
export type Faults = {
  server: ServerFault | null;
  /** Makes the server's text of the words that it hears; null for those words. */
  hears: ((words: string) => string) | null;
  /** The fault of a step on these stores; null for none. */
  store:
    | ((stores: readonly string[], mode: 'open' | IDBTransactionMode) => StoreFault | null)
    | null;
  /** The disk's capacity, in bytes. */
  capacity: number;
  /** The least time that each file takes to be made. */
  encodingMs: number;
  /** The broken part of the worker. */
  broken: 'encoder' | 'engine' | null;
  /** Scripts of workers do not come, and the browser says so or does not. */
  script: 'fails' | 'hangs' | null;
  /** The browser gives no microphone. */
  microphone: 'refused' | null;
};

/** A page of the made browser, with the real bridge and the real worker. */
export type MadePage = Tab & {
  /** The words that its field has, in the order in which they came. */
  readonly field: string[];
  /** The words that were spoken to it. */
  readonly spoken: string[];
  start(options?: StartOptions): Promise<StartResult>;
  close(): void;
  /** It is left, and the browser keeps it. */
  leave(): Promise<void>;
  killWorker(): void;
  /** Nothing of its worker runs for so long. */
  hangWorker(ms: number): void;
  /** Nothing of it runs at all, as the browser does with pages in the background. */
  freeze(ms: number): void;
};

/** A browser under a clock of its own, in which the test says what happens. */
export type MadeBrowser = {
  readonly faults: Faults;
  readonly disk: Disk;
  /** The words that the server was sent so far. */
  readonly asked: string[];
  openPage(owner?: Owner, textRules?: GivenTextRules): MadePage;
  /** Everybody speaks, or nobody. */
  speak(isSpeaking: boolean): void;
  pass(ms: number): Promise<void>;
  /** The result of a promise; time passes until it settles, up to a minute. */
  settle<T>(promise: Promise<T>): Promise<T>;
  /** Keys of all that is stored and holds audio or a text, whatever it belongs to. */
  stored(): readonly string[];
};

/** Opens a browser with nothing in it; it goes with the test. */
export function openMadeBrowser(seed = 1, freePieces = false, tellsTimes = false): MadeBrowser {
  const scheduler = createScheduler(seed);
  const faults: Faults = {
    server: null,
    hears: null,
    store: null,
    capacity: Number.POSITIVE_INFINITY,
    encodingMs: 0,
    broken: null,
    script: null,
    microphone: null,
  };
  const asked: string[] = [];
  let sessions = 0;
  let pages = 0;
  let isSpeaking = false;
  const log = { error() {}, warn() {}, info() {} };
  const disk = createDisk({
    scheduler,
    fault: (stores, mode) => faults.store?.(stores, mode) ?? null,
    capacity: () => faults.capacity,
    onFull() {},
    onCommit() {},
  });
  const server = createServer({
    scheduler,
    knowsAudio: true,
    freePieces,
    tellsTimes,
    fault: () => faults.server,
    hears: (words) => faults.hears?.(words) ?? words,
    onAsked: ({ key, words }) => void (key !== null && asked.push(...words)),
  });
  const locks = createLocks(scheduler);
  const uninstall = installGlobals({
    scheduler,
    disk,
    locks,
    channels: createChannels(scheduler),
    fetch: server.fetch,
    onConsole() {},
  });
  onTestFinished(uninstall);

  return {
    faults,
    disk,
    asked,
    openPage(owner = NOBODY, textRules = {}) {
      pages += 1;
      const name = `page ${pages}`;
      const field: string[] = [];
      const spoken: string[] = [];
      const speeches: number[] = [];
      const tab = openTab(name, {
        owner,
        scheduler,
        log,
        startWorker: (page) =>
          startFakeWorker(`${name} worker`, page, {
            owner,
            scheduler,
            fetch: server.fetch,
            log,
            textRules,
            isBroken: (part) => faults.broken === part,
            encodingMs: () => faults.encodingMs,
            unloadable: () => faults.script && { isSaid: faults.script === 'fails' },
          }),
        createCapture: (page) =>
          createMicrophone({
            scheduler,
            page,
            nextSpeaker() {
              if (faults.microphone) throw new DOMException('Refused', 'NotAllowedError');
              const session = speeches.shift() ?? 0;
              return {
                session,
                isSpeechAt: () => isSpeaking,
                captured(frame, isSpeech) {
                  if (isSpeech) spoken.push(wordOf(session, frame));
                },
              };
            },
          }),
        newId() {
          const id = `s${sessions}`;
          speeches.push(sessions);
          sessions += 1;
          return id;
        },
      });
      /** A person's action is a task of the page. */
      const inPage = <Given extends unknown[], Value>(
        work: (...given: Given) => Promise<Value> | Value,
      ): ((...given: Given) => Promise<Value>) => {
        return (...given) =>
          new Promise((resolve) => {
            scheduler.after(0, { realm: tab.page }, () => resolve(work(...given)));
          });
      };
      const { dictation } = tab;
      const { start, stop, wipe, takeText, recordings } = dictation;
      return {
        ...tab,
        get worker() {
          return tab.worker;
        },
        dictation: {
          ...dictation,
          stop: inPage(stop),
          wipe: inPage(wipe),
          takeText: inPage(takeText),
          recordings: {
            ...recordings,
            transcribeAgain: inPage(recordings.transcribeAgain),
            applyRules: inPage(recordings.applyRules),
            delete: inPage(recordings.delete),
            deleteAll: inPage(recordings.deleteAll),
            undoDelete: inPage(recordings.undoDelete),
          },
        },
        field,
        spoken,
        start: inPage((options = {}) =>
          start({
            deliver: async ({ text }) => {
              field.push(...wordsIn(text));
              return true;
            },
            ...options,
          }),
        ),
        close: () => scheduler.kill(tab.page),
        leave: inPage(tab.kept.leave),
        killWorker() {
          if (tab.worker) scheduler.kill(tab.worker);
        },
        freeze(ms) {
          for (const realm of [tab.page, tab.worker]) if (realm) scheduler.freeze(realm, ms);
        },
        hangWorker(ms) {
          if (tab.worker) scheduler.freeze(tab.worker, ms);
        },
      };
    },
    speak(now) {
      isSpeaking = now;
    },
    pass: (ms) => scheduler.runUntil(scheduler.nowMs + ms),
    async settle(promise) {
      let isSettled = false;
      promise.then(
        () => {
          isSettled = true;
        },
        () => {
          isSettled = true;
        },
      );
      for (let waitedMs = 0; !isSettled && waitedMs < 60_000; waitedMs += 100) {
        await scheduler.runUntil(scheduler.nowMs + 100);
      }
      if (!isSettled) throw new Error('Nothing has come of it within a minute');
      return promise;
    },
    stored: () =>
      ['dictations', 'chunks', 'audio'].flatMap((store) =>
        disk.records(store).map(({ key }) => `${store} ${JSON.stringify(key)}`),
      ),
  };
}
