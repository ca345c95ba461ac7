import { seededRandom } from '../helpers/seeded-random.ts';
import type { StoreFault } from './browser/database.ts';
import type { ServerFault } from './browser/server.ts';
import { commandStory } from './commands.ts';
import { INSERTIONS, type Insertion } from './insertion.ts';
import { type LiveWay, madeLive } from './live-way.ts';
import { withMore } from './more-events.ts';
import type { Owner } from './owners.ts';

type OfTab<Kind extends string> = { readonly kind: Kind; readonly tab: number };
type OfTabFor<Kind extends string> = OfTab<Kind> & { readonly forMs: number };
type Happening =
  | (OfTab<'open'> & {
      /** Left out, nobody has signed in. */
      readonly owner?: Owner;
    })
  | OfTab<'close'>
  | OfTab<'kill-worker'>
  | OfTabFor<'hang-worker'>
  | OfTabFor<'freeze-tab'>
  | { readonly kind: 'kill-browser' }
  | { readonly kind: 'power-cut' }
  | (OfTab<'start'> & {
      readonly speech: number;
      readonly insertion: Insertion;
      /** Left out, in chunks. */
      readonly live?: LiveWay;
    })
  | OfTab<'stop'>
  | OfTab<'stop-waiting'>
  | OfTab<'pause'>
  | OfTab<'resume'>
  | OfTab<'online'>
  | OfTab<'visible'>
  | OfTab<'hidden'>
  | (OfTab<'take'> & { readonly insertion: Insertion })
  | OfTab<'retry-all'>
  | OfTab<'discard'>
  | OfTab<'wipe'>
  | OfTab<'discard-kept'>
  | OfTab<'delete'>
  | OfTab<'delete-all'>
  | OfTab<'undo'>
  /** Cancels the running dictation, which can be undone for a while. */
  | OfTab<'cancel'>
  | OfTab<'undo-cancel'>
  | OfTab<'again'>
  /** Kept for the back button for so long; then restored, or thrown away. */
  | (OfTabFor<'leave'> & { readonly isBack: boolean })
  /** The worker's script cannot be had, and the browser says so, or does not. */
  | (OfTabFor<'unloadable'> & { readonly isSaid: boolean })
  /** The browser has the service worker send what waits, and ends it after so long. */
  | { readonly kind: 'sync'; readonly killedAfterMs: number | null }
  /** The computer's clock is set. */
  | { readonly kind: 'clock'; readonly byMs: number }
  | {
      readonly kind: 'store';
      readonly store: 'journal' | 'queue' | 'both';
      readonly fault: StoreFault;
      /** The share of transactions that it strikes. */
      readonly share: number;
      readonly forMs: number;
    }
  | { readonly kind: 'full-disk'; readonly roomBytes: number; readonly forMs: number }
  | { readonly kind: 'server'; readonly fault: ServerFault; readonly forMs: number }
  | { readonly kind: 'broken'; readonly part: 'encoder' | 'engine'; readonly forMs: number };

/** Something that happens. Tabs are named by their number; what fits nothing does nothing. */
export type StoryEvent = Happening & { readonly atMs: number };

/** A story: made by its seed, or what is left of one that was shrunk. */
export type Story = {
  readonly seed: number;
  /** True if the server notices other audio under a known key. */
  readonly knowsAudio: boolean;
  readonly chunkMs: number;
  readonly events: readonly StoryEvent[];
};

const STORE_FAULTS: readonly StoreFault[] = [
  'refused',
  'aborted',
  'aborted-late',
  'aborted-late',
  'answer-lost',
  'slow',
  'slow',
  'hung',
];
const SERVER_FAULTS: readonly ServerFault[] = [
  'down',
  'down',
  'swallows',
  'answer-lost',
  'late',
  'late',
  'breaks',
  'busy',
  'unauthorised',
  'rejects',
  'portal',
  'too-large',
  'too-large',
  'empty',
  'incomplete',
  'no-json',
];
const MOST_TABS = 3;

/** The weight of each kind of fault. */
const FAULT_SHARES = [
  ['store', 28],
  ['full-disk', 6],
  ['server', 24],
  ['kill-worker', 12],
  ['hang-worker', 6],
  ['close', 10],
  ['kill-browser', 5],
  ['power-cut', 4],
  ['freeze-tab', 2],
  ['broken', 3],
] as const;

/** Another site has taken more than there was. */
const NO_ROOM = -1e9;

type FaultKind = (typeof FAULT_SHARES)[number][0];

/** A story in the making. */
class Draft {
  readonly events: StoryEvent[] = [];
  readonly #random: () => number;
  readonly lengthMs: number;
  readonly tabs: number;

  constructor(random: () => number) {
    this.#random = random;
    this.lengthMs = 2_500 + this.upTo(7_500);
    this.tabs = this.chance(0.45) ? 1 + this.whole(MOST_TABS) : 1;
  }

  upTo(most: number): number {
    return this.#random() * most;
  }

  whole(most: number): number {
    return Math.floor(this.upTo(most));
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.whole(values.length)] as Value;
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  /** A page, and what is spoken to it. */
  addTab(tab: number): void {
    const openMs = tab === 0 ? 0 : this.upTo(this.lengthMs / 2);
    this.events.push({ kind: 'open', tab, atMs: openMs });
    let atMs = openMs + 200 + this.upTo(2_000);
    while (atMs < this.lengthMs && !(tab > 0 && this.chance(0.5))) {
      const spokenMs = 400 + this.upTo(this.chance(0.25) ? 5_000 : 2_200);
      this.#addSession(tab, atMs, spokenMs);
      atMs += spokenMs + this.upTo(6_000);
    }
  }

  #addSession(tab: number, atMs: number, spokenMs: number): void {
    const { events } = this;
    const insertion = this.pick(INSERTIONS);
    events.push({ kind: 'start', tab, atMs, speech: this.whole(1e9), insertion });
    if (this.chance(0.15)) {
      const pauseMs = atMs + this.upTo(spokenMs);
      events.push({ kind: 'pause', tab, atMs: pauseMs });
      events.push({ kind: 'resume', tab, atMs: pauseMs + this.upTo(1_500) });
    }
    const stopMs = atMs + spokenMs;
    if (this.chance(0.85)) events.push({ kind: 'stop', tab, atMs: stopMs });
    if (!this.chance(0.15)) return;
    events.push({ kind: 'stop-waiting', tab, atMs: stopMs + this.upTo(3_000) });
  }

  addFault(atMs: number): void {
    const tab = this.whole(this.tabs);
    const { events } = this;
    const kind = this.#faultKind();
    switch (kind) {
      case 'store': {
        const store = this.pick(['journal', 'queue', 'both', 'queue'] as const);
        const share = this.chance(0.5) ? 1 : 0.2 + this.upTo(0.6);
        const forMs = this.upTo(this.chance(0.7) ? 3_000 : 12_000);
        events.push({ kind, store, fault: this.pick(STORE_FAULTS), share, forMs, atMs });
        return;
      }
      case 'full-disk':
        events.push({ kind, roomBytes: this.upTo(200_000), forMs: this.upTo(10_000), atMs });
        return;
      case 'server': {
        const forMs = this.upTo(this.chance(0.6) ? 4_000 : 20_000);
        events.push({ kind, fault: this.pick(SERVER_FAULTS), forMs, atMs });
        return;
      }
      case 'kill-worker':
        events.push({ kind, tab, atMs });
        return;
      case 'hang-worker':
        events.push({ kind, tab, forMs: this.upTo(15_000), atMs });
        return;
      case 'freeze-tab':
        events.push({ kind, tab, forMs: this.upTo(30_000), atMs });
        return;
      case 'broken': {
        const part = this.pick(['encoder', 'engine'] as const);
        events.push({ kind, part, forMs: this.upTo(6_000), atMs });
        return;
      }
      case 'close':
        events.push({ kind, tab, atMs });
        this.#openAgain(tab, atMs);
        return;
      case 'kill-browser':
      case 'power-cut':
        events.push({ kind, atMs });
        for (let each = 0; each < this.tabs; each += 1) this.#openAgain(each, atMs);
    }
  }

  #openAgain(tab: number, goneMs: number): void {
    if (!this.chance(0.75)) return;
    this.events.push({ kind: 'open', tab, atMs: goneMs + 100 + this.upTo(3_000) });
  }

  #faultKind(): FaultKind {
    let left = this.upTo(FAULT_SHARES.reduce((sum, [, share]) => sum + share, 0));
    for (const [kind, share] of FAULT_SHARES) {
      if (left < share) return kind;
      left -= share;
    }
    return 'store';
  }

  /**
   * The server takes small chunks only, the queue's store does not take the parts, and all dies.
   */
  addSmallServer(): void {
    const { events, lengthMs } = this;
    const isBackLate = this.chance(0.5);
    // Late: something waits by then.
    const atMs = isBackLate ? 3_000 + this.upTo(lengthMs) : 1_000 + this.upTo(lengthMs / 2);
    events.push({ kind: 'server', fault: 'too-large', forMs: lengthMs + 8_000, atMs: 0 });
    if (!isBackLate) {
      const fault = { store: 'queue', fault: 'aborted', share: 0.7, forMs: 3_000 } as const;
      events.push({ kind: 'store', ...fault, atMs });
    } else {
      // It is back when the disk takes nothing more, not even parts in the place of a whole.
      events.push({ kind: 'server', fault: 'down', forMs: atMs, atMs: 0 });
      events.push({ kind: 'full-disk', roomBytes: NO_ROOM, forMs: 6_000, atMs });
    }
    for (let left = 4; left > 0; left -= 1) {
      events.push({ kind: 'online', tab: 0, atMs: atMs + this.upTo(4_000) });
    }
    const goneMs = atMs + 1_500 + this.upTo(3_000);
    events.push({ kind: 'close', tab: 0, atMs: goneMs });
    this.#openAgain(0, goneMs);
  }

  /** A text that did not get to its place is taken, and the worker that gave it dies meanwhile. */
  addDeathsInTakes(): void {
    const { events, lengthMs } = this;
    const tab = this.whole(this.tabs);
    for (const event of events.filter((one) => one.kind === 'start' && one.tab === tab)) {
      events[events.indexOf(event)] = { ...event, insertion: 'refused' } as StoryEvent;
    }
    for (let left = 3; left > 0; left -= 1) {
      const atMs = lengthMs / 2 + this.upTo(lengthMs);
      events.push({ kind: 'take', tab, insertion: 'in-late', atMs });
      events.push({ kind: 'kill-worker', tab, atMs: atMs + this.upTo(3_000) });
    }
  }

  /** Further actions of a person or the browser. */
  addCalls(): void {
    const { events, lengthMs, tabs } = this;
    for (let left = this.whole(6); left > 0; left -= 1) {
      const kind = this.pick(['online', 'visible', 'hidden', 'retry-all'] as const);
      events.push({ kind, tab: this.whole(tabs), atMs: this.upTo(lengthMs + 6_000) });
    }
    for (let left = this.whole(4); left > 0; left -= 1) {
      const insertion = this.pick(INSERTIONS);
      const atMs = this.upTo(lengthMs + 8_000);
      events.push({ kind: 'take', tab: this.whole(tabs), insertion, atMs });
    }
    for (const kind of ['wipe', 'discard'] as const) {
      if (!this.chance(0.06)) continue;
      events.push({ kind, tab: this.whole(tabs), atMs: this.upTo(lengthMs + 4_000) });
    }
  }
}

/** Makes the story of a seed. */
export function makeStory(seed: number): Story {
  const commands = commandStory(seed);
  if (commands) return { seed, knowsAudio: true, chunkMs: 15_000, events: commands };
  const draft = new Draft(seededRandom(seed ^ 0x5eed));
  for (let tab = 0; tab < draft.tabs; tab += 1) draft.addTab(tab);
  // Half of them have few faults: what needs one or two is not drowned by others.
  const faults = draft.chance(0.5) ? 1 + draft.whole(3) : 3 + draft.whole(8);
  for (let count = 0; count < faults; count += 1)
    draft.addFault(draft.upTo(draft.lengthMs + 2_000));
  draft.addCalls();
  const knowsAudio = draft.chance(0.5);
  const usualChunkMs = 1_000 + draft.whole(1_500);
  const isServerSmall = draft.chance(0.1);
  if (isServerSmall) draft.addSmallServer();
  if (draft.chance(0.08)) draft.addDeathsInTakes();
  // Less than two seconds is never split.
  const chunkMs = isServerSmall ? usualChunkMs + 1_500 : usualChunkMs;
  const events = draft.events.sort((one, other) => one.atMs - other.atMs);
  return { seed, knowsAudio, chunkMs, events: withMore(seed, madeLive(seed, events)) };
}
