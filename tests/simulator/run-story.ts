import { sleep } from '../../src/core/async.ts';
import type { DeliveryVerdict, StartOptions } from '../../src/core/contracts/dictation.ts';
import type { Logger } from '../../src/core/logger.ts';
import { UNKNOWN_CUT } from '../../src/core/session/journal.ts';
import { createDisk, type StoreFault } from './browser/database.ts';
import { installGlobals } from './browser/globals.ts';
import { createLocks } from './browser/locks.ts';
import { createMicrophone, type Speaker } from './browser/microphone.ts';
import { createChannels } from './browser/ports.ts';
import { createServer } from './browser/server.ts';
import { openTab, type Tab } from './browser/tab.ts';
import { startFakeWorker } from './browser/worker.ts';
import type { Insertion } from './insertion.ts';
import { findFaults } from './invariants.ts';
import type { LiveWay } from './live-way.ts';
import { createScheduler, type Realm } from './scheduler.ts';
import { speechOf } from './speech.ts';
import type { Story, StoryEvent } from './story.ts';
import { createTruth, JOURNAL, QUEUE, readQueue, readRecordings, wordsOnDisk } from './truth.ts';
import { MAX_SESSIONS, wordOf, wordsIn } from './words.ts';

/** What came of a story. */
export type StoryEnd = {
  readonly seed: number;
  /** What must not be; empty if all is well. */
  readonly wrongs: readonly string[];
  readonly lost: number;
  readonly doubled: number;
  readonly words: number;
  /** Faults that have struck, by kind. */
  readonly faults: Readonly<Record<string, number>>;
  readonly tasks: number;
  /** The same for the same story. */
  readonly trace: number;
};

export type RunOptions = {
  /** Told of everything that happens. */
  readonly say?: (line: string) => void;
};

type Of<Kind extends StoryEvent['kind']> = Extract<StoryEvent, { readonly kind: Kind }>;
type Lasting = Extract<StoryEvent, { readonly forMs: number }>;

/** A stop answers so soon; where workers die or hang meanwhile, so soon. */
const STOP_MS = 20_000;
const STOP_AMID_DEATHS_MS = 100_000;

/** Nobody has it any more, and the person is told. */
const TOLD_LOST = /no longer has them|is given up/;

/** A text that is not in by then is offered; whoever inserts it may take so long. */
const INSERTION_MS = 30_500;

/** A text may be on its way into its field for so long. */
const UNSETTLED_MS = 40_000;

/** The journal's `UNKNOWN_CUT` begins here. */
const FAR_NUMBER = UNKNOWN_CUT.nextChunkNumber;

/** A worker that dies before it has answered at all is not missed sooner. */
const UNNOTICED_DEATH_MS = 31_000;

/** What is brought back at the end has this long to come to rest. */
const REST_ROUNDS = 60;
const REST_ROUND_MS = 3_000;

/** Plays a story to its end and looks at what has become of every word. */
export async function runStory(story: Story, { say }: RunOptions = {}): Promise<StoryEnd> {
  const scheduler = createScheduler(story.seed);
  const beganMs = scheduler.nowMs;
  const truth = createTruth();
  const faults: Record<string, number> = {};
  const wrongs: string[] = [];
  const tabs = new Map<number, Tab>();
  const lasting: { readonly event: Lasting; readonly untilMs: number }[] = [];
  /** What the user waits for. */
  const pending = new Set<string>();
  /** Sessions that went on without their journal. */
  const unread = new Set<string>();
  let sessions = 0;
  let capacity = Number.POSITIVE_INFINITY;
  let lastDeathMs = Number.NEGATIVE_INFINITY;
  let storeFaults = 0;

  const tell = (line: string): void =>
    say?.(`${((scheduler.nowMs - beganMs) / 1_000).toFixed(3).padStart(9)} ${line}`);
  const count = (kind: string): void => {
    faults[kind] = (faults[kind] ?? 0) + 1;
  };
  const isNow = ({ untilMs }: { readonly untilMs: number }): boolean => scheduler.nowMs < untilMs;
  const active = <Kind extends Lasting['kind']>(kind: Kind): Of<Kind>[] =>
    lasting
      .filter((one) => one.event.kind === kind && isNow(one))
      .map(({ event }) => event as Of<Kind>);

  const log: Logger = {
    error(...line) {
      tell(`  error ${line.map(String).join(' ')}`);
      if (TOLD_LOST.test(String(line[0]))) noteToldLost();
    },
    warn: (...line) => tell(`  warn ${line.map(String).join(' ')}`),
    info: () => {},
  };

  /** The person is told that what no worker had written in time is lost. */
  function noteToldLost(): void {
    for (const spoken of truth.words.values()) {
      if (!spoken.isWritten) spoken.mayBeLost ??= 'told as lost';
    }
  }

  /** A chunk goes to the server when it is stored and its journal is cut: not before. */
  function isCut(key: string): boolean {
    const [sessionId, number] = key.split(':');
    const own = disk
      .records(JOURNAL)
      .map((record) => ({ key: record.key as readonly unknown[], value: record.value }))
      .filter((record) => record.key[1] === sessionId);
    const cut = own.find((record) => record.key[0] === 'cut')?.value;
    return own.length === 0 || Object(cut).nextChunkNumber > Number.parseInt(number ?? '', 10);
  }

  /**
   * Numbers of their own, whether asked for or only stored: what was said may be in the worklet and in the journal, and comes twice.
   */
  function noteUnread(chunkId: string): void {
    const [sessionId = '', number] = chunkId.split(':');
    if (Number.parseInt(number ?? '', 10) >= FAR_NUMBER) unread.add(sessionId);
  }

  function storeFault(
    stores: readonly string[],
    mode: 'open' | IDBTransactionMode,
  ): StoreFault | null {
    for (const event of active('store')) {
      const isStruck = event.store === 'both' || stores.includes(event.store);
      if (stores.length > 0 && !isStruck) continue;
      if ((event.fault === 'refused') !== (mode === 'open')) continue;
      if (scheduler.random() >= event.share) continue;
      storeFaults += 1;
      count(`store ${event.fault}`);
      tell(`  store ${stores.join(' and ')} ${event.fault} (${mode})`);
      return event.fault;
    }
    return null;
  }

  const disk = createDisk({
    scheduler,
    fault: storeFault,
    capacity: () => capacity,
    onFull() {
      storeFaults += 1;
      count('store full');
      tell('  store full');
    },
    onCommit(commit) {
      truth.committed(commit);
      for (const { key } of commit.put) {
        if (Array.isArray(key) && key[0] === 'head') noteUnread(String(key[1]));
      }
      if (!say) return;
      const keys = commit.put.map(({ key }) => (key as unknown[]).join(' '));
      tell(`  commit ${commit.isStrict ? 'strict ' : ''}${keys.join(', ')}`);
    },
  });
  const server = createServer({
    scheduler,
    knowsAudio: story.knowsAudio,
    fault() {
      const fault = active('server').at(-1)?.fault ?? null;
      if (fault) count(`server ${fault}`);
      return fault;
    },
    onAsked({ key, words }) {
      tell(`  asked ${key ?? 'early'}: ${words.join(' ')}`);
      if (key === null) return;
      noteUnread(key);
      // A store that fails stops nothing.
      if (storeFaults === 0 && !isCut(key)) wrongs.push(`asked for ${key} before it was cut`);
    },
  });
  const uninstall = installGlobals({
    scheduler,
    disk,
    locks: createLocks(scheduler),
    channels: createChannels(scheduler),
  });

  function open(number: number): void {
    if (tabs.has(number)) return;
    const speeches: number[] = [];
    let workers = 0;
    const name = `tab ${number}`;
    const tab = openTab(name, {
      scheduler,
      log,
      startWorker(page) {
        workers += 1;
        return startFakeWorker(`${name} worker ${workers}`, page, {
          scheduler,
          fetch: server.fetch,
          log,
          isBroken(part) {
            const isBroken = active('broken').some((event) => event.part === part);
            if (isBroken) count(`${part} broken`);
            return isBroken;
          },
        });
      },
      createCapture: (page) =>
        createMicrophone({ scheduler, page, nextSpeaker: () => speakerOf(page, speeches) }),
      newId() {
        const id = `s${sessions}`;
        speeches.push(sessions);
        sessions += 1;
        return id;
      },
    });
    tabs.set(number, tab);
  }

  const speechSeeds = new Map<number, number>();

  function speakerOf(page: Realm, speeches: number[]): Speaker {
    const session = speeches.shift() ?? 0;
    const speech = speechOf(speechSeeds.get(session) ?? session);
    return {
      session,
      isSpeechAt: speech,
      captured(frame, isSpeech) {
        if (!isSpeech) return;
        const word = wordOf(session, frame);
        truth.speak({ word, sessionId: `s${session}`, frame, page, atMs: scheduler.nowMs });
      },
    };
  }

  /** Puts a text into a field, or does not. */
  async function insert(
    { page }: Tab,
    how: Insertion,
    text: string,
    withdrawn: AbortSignal,
  ): Promise<DeliveryVerdict> {
    const words = wordsIn(text);
    tell(`insert (${how}) ${text}`);
    if (how !== 'in') count(`insertion ${how}`);
    const put = (some: readonly string[]): void => {
      for (const word of some) truth.delivered(word, scheduler.nowMs);
    };
    switch (how) {
      case 'in':
        put(words);
        return true;
      case 'in-late':
        await sleep(scheduler.clockOf(page), 100 + scheduler.random() * 3_000);
        if (withdrawn.aborted) return false;
        put(words);
        return true;
      case 'altered':
        put(words.slice(0, Math.ceil(words.length / 2)));
        return 'altered';
      case 'throws':
        throw new Error('Made to throw');
      case 'hangs':
        return new Promise(() => {});
      case 'refused':
        return false;
    }
  }

  function start(tab: Tab, { speech, insertion, live }: Of<'start'>): void {
    if (sessions >= MAX_SESSIONS) return;
    speechSeeds.set(sessions, speech);
    void tab.dictation.start({
      chunkMs: story.chunkMs,
      ...(live && liveOptions(tab, live)),
      deliver: ({ text }, withdrawn) => insert(tab, insertion, text, withdrawn),
    });
  }

  function liveOptions(tab: Tab, { pieces, ...how }: LiveWay): StartOptions {
    let came = 0;
    return {
      live: true,
      ...how,
      async deliverPiece(text, withdrawn) {
        const becomes = pieces[came % pieces.length] ?? 'in';
        came += 1;
        count(`piece ${becomes}`);
        return insert(tab, becomes, text, withdrawn);
      },
    };
  }

  function stop(tab: Tab): void {
    const { id } = tab.store.getSnapshot().session;
    const sinceMs = scheduler.nowMs;
    const what = `stop of ${tab.page.name} at ${Math.round(sinceMs - beganMs)}`;
    pending.add(what);
    tab.page.onDeath.push(() => pending.delete(what));
    void tab.dictation.stop().then((result) => {
      pending.delete(what);
      const tookMs = scheduler.nowMs - sinceMs;
      tell(`stopped ${id} after ${Math.round(tookMs)} ms: ${JSON.stringify(result)}`);
      const isAmidDeaths = lastDeathMs > sinceMs - UNNOTICED_DEATH_MS;
      const mostMs = isAmidDeaths ? STOP_AMID_DEATHS_MS : STOP_MS;
      if (result && tookMs > mostMs + INSERTION_MS)
        wrongs.push(`${what} took ${Math.round(tookMs)} ms`);
    });
  }

  function take(tab: Tab, insertion: Insertion): void {
    const { items } = tab.store.getSnapshot().queue;
    const ready = items.find(({ state }) => state.kind === 'transcribed');
    if (!ready) return;
    const what = `take of ${ready.sessionId}`;
    if (pending.has(what)) return;
    pending.add(what);
    tab.page.onDeath.push(() => pending.delete(what));
    tab.dictation
      .takeText(ready.sessionId, (text, withdrawn) => insert(tab, insertion, text, withdrawn))
      .catch(() => false)
      .then(() => pending.delete(what));
  }

  /**
   * What is only in the memory of these pages is gone, and what was just inserted may come again.
   */
  function excuse(pages: readonly Realm[], isPowerCut: boolean): void {
    const all = wordsOnDisk(disk);
    for (const spoken of truth.words.values()) {
      const isSafe = isPowerCut ? spoken.isDurable : spoken.isWritten;
      const isTheirs = isPowerCut || pages.includes(spoken.page);
      if (isTheirs && !isSafe) spoken.mayBeLost ??= 'never on disk';
      const [atMs] = spoken.deliveredAtMs;
      if (atMs === undefined || !all.has(spoken.word)) continue;
      if (scheduler.nowMs - atMs < UNSETTLED_MS) spoken.mayBeDoubled ??= 'crash';
    }
    excuseDisk();
  }

  /**
   * A store that failed may hold what was delivered: with the memory of those who know better gone,
   * a word comes twice rather than never.
   */
  function excuseDisk(): void {
    if (storeFaults === 0) return;
    const all = wordsOnDisk(disk);
    for (const spoken of truth.words.values()) {
      const isDelivered = spoken.deliveredAtMs.length > 0 && all.has(spoken.word);
      if (isDelivered) spoken.mayBeDoubled ??= 'crash amid store faults';
    }
  }

  /** A worker's memory alone had it, since the disk took nothing; its worklet had been let go. */
  function excuseMemory({ page, store }: Tab): void {
    if (storeFaults === 0) return;
    const { id, phase } = store.getSnapshot().session;
    const isLive = phase !== 'idle' && phase !== 'stopped';
    for (const spoken of truth.words.values()) {
      const isOver = !(isLive && spoken.sessionId === id);
      if (spoken.page === page && isOver && !spoken.isWritten) {
        spoken.mayBeLost ??= 'in the memory of a dead worker alone';
      }
    }
  }

  function close(numbers: readonly number[], isPowerCut = false): void {
    const dying = numbers.flatMap((number) => tabs.get(number) ?? []);
    for (const { page } of dying) scheduler.kill(page);
    for (const number of numbers) tabs.delete(number);
    if (isPowerCut) disk.losePower();
    excuse(
      dying.map(({ page }) => page),
      isPowerCut,
    );
  }

  /** The user throws something away: it may be gone, if it comes to pass. */
  function giveUp(words: Iterable<string>, why: string): void {
    for (const word of words) {
      const spoken = truth.words.get(word);
      if (spoken) spoken.mayBeLost ??= why;
    }
  }

  function wipe(tab: Tab): void {
    const sessionsNow = [...tabs.values()].map(({ store }) => store.getSnapshot().session);
    const open = new Set(sessionsNow.flatMap(({ id, phase }) => (phase === 'stopped' ? [] : id)));
    const over = [...truth.words.values()].filter(({ sessionId }) => !open.has(sessionId));
    giveUp(
      over.map(({ word }) => word),
      'wiped',
    );
    void tab.dictation.wipe().catch(() => {});
  }

  function discard(tab: Tab): void {
    const [item] = tab.store.getSnapshot().queue.items;
    if (!item) return;
    const chunk = readQueue(disk).chunks.find(({ head }) => head.id === item.id);
    const said = [...truth.words.values()].filter(({ sessionId }) => sessionId === item.sessionId);
    // What is not on disk yet is not known here by its chunk.
    giveUp(chunk?.words ?? said.map(({ word }) => word), 'discarded');
    tab.dictation.discard(item.id);
  }

  const report = (tab: Tab, kind: 'online' | 'visible' | 'hidden'): void =>
    void tab.supervisor.worker().api.report({ kind });

  function happen(event: StoryEvent): void {
    tell(JSON.stringify(event));
    if ('forMs' in event) lasting.push({ event, untilMs: scheduler.nowMs + event.forMs });
    switch (event.kind) {
      case 'open':
        open(event.tab);
        return;
      case 'kill-browser':
      case 'power-cut':
        if (tabs.size > 0) count(event.kind);
        lastDeathMs = scheduler.nowMs;
        close([...tabs.keys()], event.kind === 'power-cut');
        return;
      case 'full-disk':
        capacity = disk.usedBytes + event.roomBytes;
        scheduler.after(event.forMs, { realm: null }, () => {
          capacity = Number.POSITIVE_INFINITY;
        });
        return;
      case 'store':
      case 'server':
      case 'broken':
        return;
      case 'close':
      case 'kill-worker':
      case 'hang-worker':
      case 'freeze-tab': {
        const tab = tabs.get(event.tab);
        if (tab) befall(event, tab);
        return;
      }
      default: {
        const tab = tabs.get(event.tab);
        if (tab) scheduler.soon({ realm: tab.page }, () => inTab(event, tab));
      }
    }
  }

  /** What befalls a page and its worker, whether they run or not. */
  function befall(
    event: Of<'close' | 'kill-worker' | 'hang-worker' | 'freeze-tab'>,
    tab: Tab,
  ): void {
    switch (event.kind) {
      case 'close':
        count('tab closed');
        close([event.tab]);
        return;
      case 'kill-worker':
        if (!tab.worker) return;
        count('worker killed');
        lastDeathMs = scheduler.nowMs;
        scheduler.kill(tab.worker);
        excuseDisk();
        excuseMemory(tab);
        return;
      case 'hang-worker':
        if (!tab.worker) return;
        count('worker hung');
        lastDeathMs = scheduler.nowMs;
        scheduler.freeze(tab.worker, event.forMs);
        excuseDisk();
        excuseMemory(tab);
        return;
      case 'freeze-tab':
        count('tab frozen');
        lastDeathMs = scheduler.nowMs;
        excuseDisk();
        excuseMemory(tab);
        for (const realm of [tab.page, tab.worker]) {
          if (realm) scheduler.freeze(realm, event.forMs);
        }
        return;
    }
  }

  function inTab(event: Extract<StoryEvent, { readonly tab: number }>, tab: Tab): void {
    const { dictation } = tab;
    switch (event.kind) {
      case 'start':
        start(tab, event);
        return;
      case 'stop':
        stop(tab);
        return;
      case 'stop-waiting':
        dictation.stopWaiting();
        return;
      case 'pause':
        dictation.pause();
        return;
      case 'resume':
        dictation.resume();
        return;
      case 'online':
      case 'visible':
      case 'hidden':
        report(tab, event.kind);
        return;
      case 'retry-all':
        dictation.retry(null);
        return;
      case 'take':
        take(tab, event.insertion);
        return;
      case 'discard':
        discard(tab);
        return;
      case 'wipe':
        wipe(tab);
        return;
      default:
        return;
    }
  }

  /** All faults are over, a page is there, and the user asks for what waits. */
  async function bringBack(): Promise<void> {
    tell('everything is brought back');
    lasting.length = 0;
    capacity = Number.POSITIVE_INFINITY;
    server.dropSwallowed();
    if (tabs.size === 0) open(0);
    for (const tab of tabs.values()) {
      for (const realm of [tab.page, tab.worker]) if (realm) scheduler.thaw(realm);
      scheduler.soon({ realm: tab.page }, () => {
        report(tab, 'online');
        report(tab, 'visible');
        stop(tab);
      });
    }
    for (let round = 0; round < REST_ROUNDS && !(round > 0 && isAtRest()); round += 1) {
      await scheduler.runUntil(scheduler.nowMs + REST_ROUND_MS);
      for (const tab of tabs.values()) scheduler.soon({ realm: tab.page }, () => ask(tab));
    }
  }

  function ask(tab: Tab): void {
    const { queue, kept } = tab.store.getSnapshot();
    tab.dictation.retry(null);
    for (const { id, state } of queue.items) if (state.kind === 'parked') tab.dictation.retry(id);
    for (const { sessionId } of kept) void tab.dictation.retryKept(sessionId).catch(() => {});
    take(tab, 'in');
  }

  function isAtRest(): boolean {
    if (!disk.isAtRest || pending.size > 0 || disk.records(JOURNAL).length > 0) return false;
    const isIdle = [...tabs.values()].every(({ store }) => {
      const { session, queue } = store.getSnapshot();
      return session.id === null && queue.isRecovered && queue.unstoredItems === 0;
    });
    if (!isIdle) return false;
    const { records } = readRecordings(disk);
    if (records.some(({ endedAtMs, asked }) => endedAtMs === null || asked)) return false;
    // Storage that hung is read anew after its deadline.
    const shown = new Set(
      [...tabs.values()].flatMap(({ store }) =>
        store.getSnapshot().queue.items.map(({ id }) => id),
      ),
    );
    return disk.records(QUEUE).every(({ key, value }) => {
      const [kind] = key as unknown[];
      const { id, state } = Object(value);
      return kind !== 'head' || (state.kind === 'doubted' && shown.has(id));
    });
  }

  const noteUnhandled = (reason: unknown): void => {
    wrongs.push(`nobody handled: ${reason instanceof Error ? reason.message : reason}`);
  };
  process.on('unhandledRejection', noteUnhandled);

  try {
    for (const event of story.events) {
      scheduler.after(event.atMs, { realm: null }, () => happen(event));
    }
    const lastMs = Math.max(0, ...story.events.map(({ atMs }) => atMs));
    await scheduler.runUntil(beganMs + lastMs + 1_000);
    await bringBack();
    const found = findFaults({
      truth,
      disk,
      tabs: [...tabs.values()],
      pending,
      unread,
      hasEncoderFailed: (faults['encoder broken'] ?? 0) > 0,
      hasStoreFailed: storeFaults > 0,
    });
    return {
      seed: story.seed,
      wrongs: [...wrongs, ...found.wrongs],
      lost: found.lost,
      doubled: found.doubled,
      words: truth.words.size,
      faults,
      tasks: scheduler.tasks,
      trace: scheduler.trace,
    };
  } finally {
    process.off('unhandledRejection', noteUnhandled);
    uninstall();
  }
}
