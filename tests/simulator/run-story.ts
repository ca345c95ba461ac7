import type { StartOptions } from '../../src/core/contracts/dictation.ts';
import type { Logger } from '../../src/core/logger.ts';
import { FAR_NUMBER } from '../../src/core/session/journal.ts';
import { rowOf } from '../../workers/store/records.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { createDisk, type StoreFault } from './browser/database.ts';
import { installGlobals } from './browser/globals.ts';
import { createLocks } from './browser/locks.ts';
import { createMicrophone, type Speaker } from './browser/microphone.ts';
import { createChannels } from './browser/ports.ts';
import { createServer } from './browser/server.ts';
import { startService } from './browser/service.ts';
import { openTab, type Tab } from './browser/tab.ts';
import { startFakeWorker } from './browser/worker.ts';
import { commandIn, piecesOf, standingWords } from './commands.ts';
import { createDeletions, type Deletions, LET_GO_MS } from './deletions.ts';
import { createExcuses } from './excuses.ts';
import { createInsertions, type Insertion, type Place } from './insertion.ts';
import { findFaults } from './invariants.ts';
import type { LiveWay } from './live-way.ts';
import { isSame, NOBODY, type Owner } from './owners.ts';
import { createScheduler, type Realm } from './scheduler.ts';
import { speechOf } from './speech.ts';
import type { Story, StoryEvent } from './story.ts';
import { createTruth, readJournal, readQueue, readRecordings } from './truth.ts';
import { MAX_SESSIONS, wordOf, wordsIn } from './words.ts';
// The worker fetches it when it is needed: what is fetched takes real time, not the browser's.
import '../../workers/upload/rule-book.ts';

/** The result of a story. */
export type StoryEnd = {
  readonly seed: number;
  /** Broken invariants; empty if all is well. */
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

/** In so many stories the server says that short requests cost nothing. */
const FREE_STORIES = 0.5;

/** A stop answers so soon; where workers die or hang meanwhile, so soon. */
const STOP_MS = 20_000;
const STOP_AMID_DEATHS_MS = 100_000;

/** A stop hears the end of a word, and no more, be there a worker or not. */
const DEAF_MS = 7_500;

/** Nobody has it any more, and the person is told. */
const TOLD_LOST = /no longer has them|is given up/;

/** A text that is not in by then is offered; whoever inserts it may take so long. */
const INSERTION_MS = 30_500;

/** A text that is put in by somebody who does not hang is in by then. */
const AT_ONCE_MS = 4_000;

/** A worker that dies before it has answered at all is not missed sooner. */
const UNNOTICED_DEATH_MS = 31_000;

/** Recordings are kept for a day in the stories' pages. */
const KEEPING_MS = 24 * 3_600_000;

/** Longer than any story. */
const FOR_EVER_MS = 1e9;

/** Tabs restored at the end have this long to come to rest. */
const REST_ROUNDS = 60;
const REST_ROUND_MS = 3_000;

/** A text has this long to come to its place by itself. */
const PLACE_ROUNDS = 20;

/** At the end somebody presses once more in every tab that there may be. */
const LAST_SESSIONS = 6;
/** The numbers of tabs that are opened at the end. */
const LAST_TABS = 10;
const LAST_SPOKEN_MS = 1_500;

/** Plays a story to its end and looks at what has become of every word. */
export async function runStory(story: Story, { say }: RunOptions = {}): Promise<StoryEnd> {
  const scheduler = createScheduler(story.seed);
  const beganMs = scheduler.nowMs;
  const truth = createTruth();
  const faults: Record<string, number> = {};
  const wrongs: string[] = [];
  const tabs = new Map<number, Tab>();
  const lasting: { readonly event: Lasting; readonly untilMs: number }[] = [];
  /** Sessions whose text the user waits for. */
  const pending = new Set<string>();
  /**
   * Sessions that went on without their journal: their numbers are not in the order of speech. By
   * the death of the worker that was the last to do so.
   */
  const unread = new Map<string, number>();
  /** The time since when no tab has a session open. */
  const overSinceMs = new Map<string, number>();
  /** The owners of opened tabs. */
  const dictating = new Set<Owner>();
  /** Pages that are kept for the back button. */
  const left = new Set<Tab>();
  /** By tab: sessions whose microphone was not asked for yet. */
  /** Whose text comes where, unless somebody took it. */
  const places = new Map<string, { readonly tab: Tab; readonly insertion: Insertion }>();
  /** Sessions whose texts are in, or refused, within seconds. */
  const quick = new Set<string>();
  /** Tabs in which something has died, hung or been deleted. */
  const disturbed = new Set<Tab>();
  /** Tabs whose page could do nothing for a while. */
  const stoodStill = new Set<Tab>();
  /** Sessions with commands. */
  const commanded = new Set<string>();
  /** Of these a page is gone that knew what stood in it. */
  const leftStanding = new Set<string>();
  const unopened = new Map<number, number[]>();
  /** The story is told: what comes is its end. */
  let isOver = false;
  let service: Realm | null = null;
  let services = 0;
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
      if (TOLD_LOST.test(String(line[0]))) excuses.told();
    },
    warn: (...line) => tell(`  warn ${line.map(String).join(' ')}`),
    info: () => {},
  };

  /** A chunk goes to the server when it is stored and its journal is cut: not before. */
  function isCut(key: string): boolean {
    const [dictationId, number] = key.split(':');
    if (!readJournal(disk).has(dictationId ?? '')) return true;
    const rows = disk.records('dictations').flatMap(({ value }) => rowOf(value) ?? []);
    const cut = rows.find(({ id }) => id === dictationId)?.journal?.cut;
    return Object(cut).nextChunkNumber > Number.parseInt(number ?? '', 10);
  }

  const numberOf = (chunkId: string): number => Number.parseInt(chunkId.split(':')[1] ?? '', 10);

  /**
   * Numbers of their own, whether asked for or only stored. What a dead worker had stored, and the
   * next could not read, the worklet may have given again: it comes twice rather than never. What is
   * in no chunk by then comes once.
   */
  function noteUnread(chunkId: string): void {
    const [dictationId = ''] = chunkId.split(':');
    const isFar = numberOf(chunkId) >= FAR_NUMBER;
    if (!isFar || unread.get(dictationId) === lastDeathMs) return;
    unread.set(dictationId, lastDeathMs);
    for (const { head, words } of readQueue(disk).chunks) {
      if (head.dictationId !== dictationId || head.id === chunkId) continue;
      for (const word of words) {
        const spoken = truth.words.get(word);
        if (spoken) spoken.mayBeDoubled ??= 'stored where the next worker could not read it';
      }
    }
  }

  function storeFault(
    stores: readonly string[],
    mode: 'open' | IDBTransactionMode,
  ): StoreFault | null {
    for (const event of active('store')) {
      const table = event.store === 'journal' ? 'audio' : 'chunks';
      const isStruck = event.store === 'both' || stores.includes(table);
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
      const keys = commit.put.map(({ key }) => [key].flat().join(' '));
      tell(`  commit ${commit.isStrict ? 'strict ' : ''}${keys.join(', ')}`);
    },
  });
  const server = createServer({
    scheduler,
    knowsAudio: story.knowsAudio,
    // By a chance of its own, as what makes a story live.
    freePieces: seededRandom(story.seed ^ 0x0f4e)() < FREE_STORIES,
    fault() {
      const fault = active('server').at(-1)?.fault ?? null;
      if (fault) count(`server ${fault}`);
      return fault;
    },
    hears(words) {
      const heard = wordsIn(words);
      const isCommanded = commanded.has(`s${heard[0]?.split('.')[0]}`);
      return (isCommanded && commandIn(heard)) || words;
    },
    onAsked(asked) {
      const { key, words } = asked;
      tell(`  asked ${key ?? 'early'}: ${words.join(' ')}`);
      deletions.used('sent', words);
      const foreign = words.filter((word) => {
        const owner = truth.words.get(word)?.owner;
        return owner && !isSame(owner, asked);
      });
      if (foreign.length > 0) wrongs.push(`sent as another's: ${foreign.join(' ')}`);
      if (key === null) return;
      noteUnread(key);
      // A store that fails stops nothing.
      if (storeFaults === 0 && !isCut(key)) wrongs.push(`asked for ${key} before it was cut`);
    },
  });
  const locks = createLocks(scheduler);
  const uninstall = installGlobals({
    scheduler,
    disk,
    locks,
    channels: createChannels(scheduler),
    fetch: server.fetch,
    onConsole: (...line) => tell(`  console ${line.map(String).join(' ')}`),
  });
  const excuses = createExcuses({
    truth,
    disk,
    nowMs: () => scheduler.nowMs,
    hasStoreFailed: () => storeFaults > 0,
  });
  const insertions = createInsertions({
    scheduler,
    truth,
    deletions: () => deletions,
    isUnread: (dictationId) => unread.has(dictationId),
    count,
    tell,
    wrong: (what) => void wrongs.push(what),
  });
  const deletions: Deletions = createDeletions({
    scheduler,
    truth,
    disk,
    locks,
    overSinceMs: (dictationId) => overSinceMs.get(dictationId),
    isInserting: insertions.isUnderWay,
    isStorageWhole: () => storeFaults === 0,
    isDisturbed: (tab) => disturbed.has(tab) || left.has(tab),
    hasStoodStill: (tab) => stoodStill.has(tab),
    isEncoderWhole: () => (faults['encoder broken'] ?? 0) === 0,
    tell,
    wrong: (what) => void wrongs.push(what),
  });

  function open(number: number, owner: Owner = NOBODY): void {
    if (tabs.has(number)) return;
    dictating.add(owner);
    const speeches: number[] = [];
    unopened.set(number, speeches);
    let workers = 0;
    const name = `tab ${number}`;
    const tab = openTab(name, {
      owner,
      scheduler,
      log,
      startWorker(page) {
        workers += 1;
        return startFakeWorker(`${name} worker ${workers}`, page, {
          owner,
          scheduler,
          fetch: server.fetch,
          log,
          isBroken(part) {
            const isBroken = active('broken').some((event) => event.part === part);
            if (isBroken) count(`${part} broken`);
            return isBroken;
          },
          unloadable() {
            const found = active('unloadable').find((event) => event.tab === number);
            if (!found) return null;
            count(`worker does not load${found.isSaid ? ', and says so' : ''}`);
            lastDeathMs = scheduler.nowMs;
            disturbed.add(tab);
            return found;
          },
        });
      },
      createCapture: (page) =>
        createMicrophone({ scheduler, page, nextSpeaker: () => speakerOf(page, owner, speeches) }),
      newId() {
        const id = `s${sessions}`;
        tab.page.onDeath.push(() => letGo(id, LET_GO_MS));
        speeches.push(sessions);
        sessions += 1;
        return id;
      },
    });
    tabs.set(number, tab);
  }

  /** Nobody has it open any more. */
  function letGo(dictationId: string, inMs = 0): void {
    if (!overSinceMs.has(dictationId)) overSinceMs.set(dictationId, scheduler.nowMs + inMs);
  }

  const speechSeeds = new Map<number, number>();

  function speakerOf(page: Realm, owner: Owner, speeches: number[]): Speaker {
    const session = speeches.shift() ?? 0;
    const speech = speechOf(speechSeeds.get(session) ?? session);
    return {
      session,
      isSpeechAt: speech,
      captured(frame, isSpeech) {
        if (!isSpeech) return;
        const word = wordOf(session, frame);
        truth.speak({
          word,
          dictationId: `s${session}`,
          frame,
          page,
          owner,
          atMs: scheduler.nowMs,
        });
      },
    };
  }

  function start(tab: Tab, { speech, insertion, live }: Of<'start'>): void {
    if (sessions >= MAX_SESSIONS - LAST_SESSIONS) return;
    speechSeeds.set(sessions, speech);
    const place = { tab, dictationId: `s${sessions}`, isItsOwn: true };
    places.set(place.dictationId, { tab, insertion });
    if (![insertion, ...(live?.pieces ?? [])].includes('hangs')) quick.add(place.dictationId);
    // A start that was refused has left the number to this one.
    else quick.delete(place.dictationId);
    if (live?.hasCommands) commanded.add(place.dictationId);
    void tab.dictation.start({
      chunkMs: story.chunkMs,
      ...(live && liveOptions(place, live)),
      deliver: ({ text }, withdrawn) => insertions.insert(place, insertion, text, withdrawn),
    });
  }

  /**
   * A text whose page has waited for it comes to its place by itself: nobody has to take it. Refused
   * or doubted, or with a page or worker gone, it may be in the list.
   */
  function isToCome(dictationId: string): boolean {
    const place = places.get(dictationId);
    if (!place || places.size === 0) return false;
    const { tab, insertion } = place;
    const isThere = [...tabs.values()].includes(tab) && !tab.page.isDead && !disturbed.has(tab);
    return isThere && insertion.startsWith('in') && !insertions.isServed(dictationId);
  }

  function liveOptions(place: Place, live: LiveWay): StartOptions {
    const { pieces, hasCommands = false, ...how } = live;
    let came = 0;
    return {
      live: true,
      ...how,
      ...(hasCommands && { language: 'sv' }),
      async deliverPiece(text, withdrawn, surplus = 0) {
        if (surplus > 0 && !hasCommands)
          wrongs.push(`${surplus} insertions were taken out of the field`);
        const becomes = pieces[came % pieces.length] ?? 'in';
        came += 1;
        count(surplus > 0 ? `piece taken out ${becomes}` : `piece ${becomes}`);
        if (surplus > 0) return insertions.takeOut(place, becomes, surplus, withdrawn);
        return insertions.insert(place, becomes, text, withdrawn);
      },
    };
  }

  function stop(tab: Tab): void {
    const { id } = tab.store.getSnapshot().session;
    const sinceMs = scheduler.nowMs;
    // Nothing but the text is waited for, from the press on.
    const isQuick = id !== null && quick.has(id);
    const what = `stop of ${tab.page.name} at ${Math.round(sinceMs - beganMs)}`;
    pending.add(what);
    tab.page.onDeath.push(() => pending.delete(what));
    scheduler.after(DEAF_MS, { realm: tab.page }, () => {
      const late = [...truth.words.values()].filter(
        (spoken) => spoken.dictationId === id && spoken.atMs > sinceMs + DEAF_MS - 500,
      );
      if (late.length > 0 && !stoodStill.has(tab)) wrongs.push(`heard long after ${what}`);
    });
    void tab.dictation.stop().then((result) => {
      pending.delete(what);
      if (result && id !== null) letGo(id);
      const tookMs = scheduler.nowMs - sinceMs;
      tell(`stopped ${id} after ${Math.round(tookMs)} ms: ${JSON.stringify(result)}`);
      const isAmidDeaths = lastDeathMs > sinceMs - UNNOTICED_DEATH_MS;
      const mostMs = isAmidDeaths ? STOP_AMID_DEATHS_MS : STOP_MS;
      if (result && tookMs > mostMs + (isQuick ? AT_ONCE_MS : INSERTION_MS))
        wrongs.push(`${what} took ${Math.round(tookMs)} ms`);
    });
  }

  function take(tab: Tab, insertion: Insertion, round = REST_ROUNDS): void {
    const { items } = tab.store.getSnapshot().queue;
    const ready = items.find(({ state }) => state.kind === 'answered');
    if (!ready) return;
    if (isOver && isToCome(ready.dictationId)) {
      if (round < PLACE_ROUNDS) return;
      wrongs.push(`the text of ${ready.dictationId} has not come to its place`);
    }
    places.delete(ready.dictationId);
    const what = `take of ${ready.dictationId}`;
    if (pending.has(what)) return;
    pending.add(what);
    tab.page.onDeath.push(() => pending.delete(what));
    tab.dictation
      .takeText(ready.dictationId, (text, withdrawn) =>
        insertions.insert(
          { tab, dictationId: ready.dictationId, isItsOwn: false },
          insertion,
          text,
          withdrawn,
        ),
      )
      .catch(() => false)
      .then(() => pending.delete(what));
  }

  function close(numbers: readonly number[], isPowerCut = false): void {
    const dying = numbers.flatMap((number) => tabs.get(number) ?? []);
    for (const dictationId of commanded) {
      const isDying = dying.some(({ page }) => page === places.get(dictationId)?.tab.page);
      if (isDying && insertions.isServed(dictationId)) leftStanding.add(dictationId);
    }
    for (const { page } of dying) scheduler.kill(page);
    for (const number of numbers) tabs.delete(number);
    for (const tab of dying) left.delete(tab);
    if (isPowerCut) disk.losePower();
    excuses.gone(
      dying.map(({ page }) => page),
      isPowerCut,
    );
  }

  function again(tab: Tab): void {
    const { list } = tab.store.getSnapshot().recordings;
    const one = list.find(({ state }) => state.kind === 'waiting' || state.kind === 'delivered');
    if (!one) return;
    count('written again');
    // All of its sound is asked for, that of chunks which were thrown away too.
    deletions.wanted(one.id);
    void tab.dictation.recordings.transcribeAgain(one.id).catch(() => false);
  }

  /** Kept for the back button, a page stands still. */
  function leave(tab: Tab, { tab: number, forMs, isBack }: Of<'leave'>): void {
    if (isOver) return;
    count(isBack ? 'left and restored' : 'left and thrown away');
    lastDeathMs = scheduler.nowMs;
    left.add(tab);
    stoodStill.add(tab);
    disturbed.add(tab);
    tab.kept.leave();
    unopened.get(number)?.splice(0);
    excuses.gone([tab.page]);
    // The rest of the running task is not cut off.
    scheduler.after(0.1, { realm: null }, () => scheduler.freeze(tab.page, FOR_EVER_MS));
    scheduler.after(forMs, { realm: null }, () => {
      if (!left.has(tab)) return;
      if (isBack) comeBack(tab);
      else if (tabs.get(number) === tab) close([number]);
    });
  }

  function comeBack(tab: Tab): void {
    left.delete(tab);
    scheduler.thaw(tab.page);
    scheduler.soon({ realm: tab.page }, () => tab.kept.comeBack());
  }

  /** The browser sees a network, whether a page is open or not. */
  function sync({ killedAfterMs }: Of<'sync'>): void {
    if (service && !service.isDead) return;
    services += 1;
    count('service worker');
    const started = startService(`service worker ${services}`, { scheduler, log });
    service = started;
    if (killedAfterMs === null) return;
    scheduler.after(killedAfterMs, { realm: null }, () => {
      if (started.isDead) return;
      count('service worker killed');
      scheduler.kill(started);
    });
  }

  const report = (tab: Tab, kind: 'online' | 'visible' | 'hidden'): void =>
    void tab.connection.worker().api.report({ kind });

  function fill({ roomBytes, forMs }: Of<'full-disk'>): void {
    capacity = disk.usedBytes + roomBytes;
    scheduler.after(forMs, { realm: null }, () => {
      capacity = Number.POSITIVE_INFINITY;
    });
  }

  function end(kind: 'kill-browser' | 'power-cut'): void {
    if (tabs.size > 0) count(kind);
    lastDeathMs = scheduler.nowMs;
    if (service) scheduler.kill(service);
    close([...tabs.keys()], kind === 'power-cut');
  }

  function happen(event: StoryEvent): void {
    tell(JSON.stringify(event));
    if ('forMs' in event) lasting.push({ event, untilMs: scheduler.nowMs + event.forMs });
    switch (event.kind) {
      case 'open':
        open(event.tab, event.owner);
        return;
      case 'kill-browser':
      case 'power-cut':
        end(event.kind);
        return;
      case 'full-disk':
        fill(event);
        return;
      case 'sync':
        sync(event);
        return;
      case 'clock':
        count('clock set');
        scheduler.setClock(event.byMs);
        return;
      case 'store':
      case 'server':
      case 'broken':
      case 'unloadable':
        return;
      case 'close':
      case 'kill-worker':
      case 'hang-worker':
      case 'freeze-tab': {
        const tab = tabs.get(event.tab);
        // A page kept for the back button is frozen already.
        if (tab && !(left.has(tab) && event.kind !== 'close')) befall(event, tab);
        return;
      }
      default: {
        const tab = tabs.get(event.tab);
        if (tab && !left.has(tab)) scheduler.soon({ realm: tab.page }, () => inTab(event, tab));
      }
    }
  }

  /** Faults of a page and its worker, running or not. */
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
        disturbed.add(tab);
        excuses.worker(tab);
        return;
      case 'hang-worker':
        if (!tab.worker) return;
        count('worker hung');
        lastDeathMs = scheduler.nowMs;
        scheduler.freeze(tab.worker, event.forMs);
        disturbed.add(tab);
        excuses.worker(tab);
        return;
      case 'freeze-tab':
        count('tab frozen');
        stoodStill.add(tab);
        lastDeathMs = scheduler.nowMs;
        disturbed.add(tab);
        excuses.worker(tab);
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
      case 'discard-kept':
      case 'delete':
      case 'delete-all':
      case 'undo':
      case 'wipe':
        for (const other of tabs.values()) disturbed.add(other);
        count(event.kind);
        deletions.ask(event, tab);
        return;
      case 'cancel':
      case 'undo-cancel':
        count(event.kind);
        deletions.ask(event, tab);
        return;
      case 'again':
        again(tab);
        return;
      case 'leave':
        leave(tab, event);
        return;
      default:
        return;
    }
  }

  /** Whatever has happened: who presses now records, and gets the text. */
  async function pressAgain(): Promise<void> {
    tell('somebody presses once more');
    const pressed = [...tabs.values()].map((tab) => ({ tab, session: sessions, isOn: false }));
    for (const press of pressed) {
      const { tab } = press;
      scheduler.soon({ realm: tab.page }, () => {
        press.session = sessions;
        places.delete(`s${sessions}`);
        const place = { tab, dictationId: `s${sessions}`, isItsOwn: true };
        void tab.dictation
          .start({
            chunkMs: story.chunkMs,
            deliver: ({ text }, withdrawn) => insertions.insert(place, 'in', text, withdrawn),
          })
          .then(({ ok }) => {
            press.isOn = ok;
          });
      });
    }
    await scheduler.runUntil(scheduler.nowMs + LAST_SPOKEN_MS);
    for (const { tab } of pressed) scheduler.soon({ realm: tab.page }, () => stop(tab));
    await rest();
    for (const { tab, session, isOn } of pressed) {
      if (!isOn) wrongs.push(`a press in ${tab.page.name} at the end does nothing`);
      const said = [...truth.words.values()].filter((one) => one.dictationId === `s${session}`);
      const isIn = said.length > 0 && said.every((one) => one.deliveredAtMs.length === 1);
      if (!isIn) wrongs.push(`what is said in ${tab.page.name} at the end is not in its place`);
    }
  }

  /** Whoever has dictated comes back. */
  function openForAll(): void {
    let number = LAST_TABS;
    for (const owner of dictating) {
      if ([...tabs.values()].some((tab) => isSame(tab.owner, owner))) continue;
      open(number, owner);
      number += 1;
    }
    if (tabs.size === 0) open(LAST_TABS);
  }

  /** All faults are over, a page is there, and the user asks for what waits. */
  async function bringBack(): Promise<void> {
    tell('everything is brought back');
    isOver = true;
    lasting.length = 0;
    capacity = Number.POSITIVE_INFINITY;
    server.dropSwallowed();
    openForAll();
    for (const tab of [...left]) comeBack(tab);
    for (const tab of tabs.values()) {
      for (const realm of [tab.page, tab.worker]) if (realm) scheduler.thaw(realm);
      scheduler.soon({ realm: tab.page }, () => {
        report(tab, 'online');
        report(tab, 'visible');
        stop(tab);
      });
    }
    await rest();
  }

  async function rest(): Promise<void> {
    for (let round = 0; round < REST_ROUNDS && !(round > 0 && isAtRest()); round += 1) {
      await scheduler.runUntil(scheduler.nowMs + REST_ROUND_MS);
      for (const tab of tabs.values()) scheduler.soon({ realm: tab.page }, () => ask(tab, round));
    }
  }

  function ask(tab: Tab, round: number): void {
    const { queue, kept, recordings } = tab.store.getSnapshot();
    for (const { id, rewriting } of recordings.list) {
      if (rewriting?.isRefused)
        void tab.dictation.recordings.transcribeAgain(id).catch(() => false);
    }
    tab.dictation.retry(null);
    for (const { id, state } of queue.items) if (state.kind === 'refused') tab.dictation.retry(id);
    for (const { dictationId } of kept) void tab.dictation.retryKept(dictationId).catch(() => {});
    take(tab, 'in', round);
  }

  function isAtRest(): boolean {
    if (!disk.isAtRest || pending.size > 0 || readJournal(disk).size > 0) return false;
    const isIdle = [...tabs.values()].every(({ store }) => {
      const { session, queue } = store.getSnapshot();
      return session.id === null && queue.isRecovered && queue.unstoredItems === 0;
    });
    if (!isIdle) return false;
    const { records } = readRecordings(disk);
    if (records.some((record) => record.endedAtMs === null || record.asked || record.isInBin))
      return false;
    // Storage that hung is read anew after its deadline.
    const shown = new Set(
      [...tabs.values()].flatMap(({ store }) =>
        store.getSnapshot().queue.items.map(({ id }) => id),
      ),
    );
    // A list is told a moment after the disk.
    const queued = new Set(readQueue(disk).chunks.map(({ head }) => head.id));
    if ([...shown].some((id) => !queued.has(id))) return false;
    return disk.records('chunks').every(({ value }) => {
      const { id, state } = Object(value);
      return state.kind === 'delivered' && (!state.hasAudio || shown.has(id));
    });
  }

  /** Struck words need not be anywhere, and must not remain in a field that removed them. */
  function noteStruck(): void {
    for (const dictationId of commanded) {
      const spoken = [...truth.words.values()].filter((one) => one.dictationId === dictationId);
      const isLeft = leftStanding.has(dictationId) || insertions.isUnruled(dictationId);
      const stands = standingWords(piecesOf(disk, dictationId, truth));
      const struck = spoken.filter(({ word }) => isLeft || !stands.has(word));
      for (const one of struck) one.mayBeLost ??= 'struck, or a command';
      const isIn = struck.filter(
        ({ word, deliveredAtMs }) => deliveredAtMs.length > 0 && !insertions.isTaken(word),
      );
      if (isLeft || insertions.isStuck(dictationId) || isIn.length === 0) continue;
      wrongs.push(`struck and in the field: ${isIn.map(({ word }) => word).join(' ')}`);
    }
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
    await pressAgain();
    noteStruck();
    const found = findFaults({
      truth,
      disk,
      tabs: [...tabs.values()],
      pending,
      unread: new Set(unread.keys()),
      hasEncoderFailed: (faults['encoder broken'] ?? 0) > 0,
      hasStoreFailed: storeFaults > 0,
      hasKeepingPassed: mostSetOnMs(story) >= KEEPING_MS,
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

/** The most by which the clock is set on between two moments of a story. */
function mostSetOnMs({ events }: Story): number {
  let onMs = 0;
  let mostMs = 0;
  for (const event of events) {
    if (event.kind !== 'clock') continue;
    onMs = Math.max(0, onMs + event.byMs);
    mostMs = Math.max(mostMs, onMs);
  }
  return mostMs;
}
