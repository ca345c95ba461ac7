import { seededRandom } from '../helpers/seeded-random.ts';
import { OWNERS } from './owners.ts';
import type { StoryEvent } from './story.ts';

/** The percentage of stories with each of these. */
const SHARES = {
  deletion: 28,
  again: 8,
  sync: 10,
  leave: 8,
  unloadable: 8,
  clock: 10,
  owners: 10,
  cancel: 12,
} as const;

/** Where storage fails, little can be said of what is deleted. */
const WITH_WHOLE_STORAGE = 0.6;

const DELETIONS = [
  'wipe',
  'delete',
  'delete',
  'delete-all',
  'delete-all',
  'discard',
  'discard-kept',
] as const;

/** A little longer than what is deleted can be had back. */
const UNDO_MS = 33_000;

const HOUR_MS = 3_600_000;

/** Further events of a story. */
class More {
  readonly events: StoryEvent[] = [];
  readonly #random: () => number;
  readonly #tabs: readonly number[];
  readonly #told: readonly StoryEvent[];
  readonly #lengthMs: number;

  constructor(random: () => number, told: readonly StoryEvent[], tabs: readonly number[]) {
    this.#random = random;
    this.#told = told;
    this.#tabs = tabs;
    this.#lengthMs = Math.max(0, ...told.map(({ atMs }) => atMs));
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  #upTo(most: number): number {
    return this.#random() * most;
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#upTo(values.length))] as Value;
  }

  #times(most: number, add: () => void): void {
    for (let left = 1 + Math.floor(this.#upTo(most)); left > 0; left -= 1) add();
  }

  /** Any moment, or one soon after a dictation's end. */
  #momentIn(tab: number): number {
    const stops = this.#told.filter((event) => event.kind === 'stop' && event.tab === tab);
    const isAnyMoment = stops.length === 0 || this.chance(0.5);
    if (isAnyMoment) return this.#upTo(this.#lengthMs + 6_000);
    return this.#pick(stops).atMs + this.#upTo(3_000) ** 2 / 3_000;
  }

  addDeletions(): void {
    this.#times(3, () => {
      const tab = this.#pick(this.#tabs);
      const atMs = this.#momentIn(tab);
      this.events.push({ kind: this.#pick(DELETIONS), tab, atMs });
      if (this.chance(0.35)) {
        this.events.push({ kind: 'undo', tab, atMs: atMs + this.#upTo(UNDO_MS) });
      }
      if (this.chance(0.15)) {
        this.events.push({ kind: 'close', tab, atMs: atMs + this.#upTo(3_000) });
      }
    });
  }

  /** Thrown away while it is being said, and had back in time, too late, or never. */
  addCancels(): void {
    const starts = this.#told.flatMap((event) => (event.kind === 'start' ? event : []));
    if (starts.length === 0) return;
    this.#times(2, () => {
      const { tab, atMs: startMs } = this.#pick(starts);
      const atMs = startMs + this.#upTo(3_000);
      this.events.push({ kind: 'cancel', tab, atMs });
      if (this.chance(0.5)) {
        this.events.push({ kind: 'undo-cancel', tab, atMs: atMs + this.#upTo(11_000) });
      }
      if (this.chance(0.15)) {
        this.events.push({ kind: 'close', tab, atMs: atMs + this.#upTo(12_000) });
      }
    });
  }

  addAgain(): void {
    const tab = this.#pick(this.#tabs);
    this.events.push({ kind: 'again', tab, atMs: this.#momentIn(tab) });
  }

  addSyncs(): void {
    this.#times(3, () => {
      const killedAfterMs = this.chance(0.5) ? this.#upTo(1_500) : null;
      const atMs = this.#upTo(this.#lengthMs + 8_000);
      this.events.push({ kind: 'sync', killedAfterMs, atMs });
    });
  }

  addLeaving(): void {
    const tab = this.#pick(this.#tabs);
    const [isBack, forMs, atMs] = [this.chance(0.7), this.#upTo(15_000), this.#momentIn(tab)];
    this.events.push({ kind: 'leave', tab, isBack, forMs, atMs });
  }

  addUnloadable(): void {
    const tab = this.#pick(this.#tabs);
    const isSaid = this.chance(0.5);
    const forMs = this.#upTo(this.chance(0.3) ? 100_000 : 12_000);
    const isFirst = this.chance(0.5);
    const atMs = isFirst ? 0 : this.#upTo(this.#lengthMs);
    this.events.push({ kind: 'unloadable', tab, isSaid, forMs, atMs });
    if (isFirst) return;
    this.events.push({ kind: 'kill-worker', tab, atMs: atMs + this.#upTo(1_000) });
  }

  /** Whoever opens a tab may have signed in as somebody else than who had it before. */
  owned(events: readonly StoryEvent[]): readonly StoryEvent[] {
    const owners = this.#pick(OWNERS);
    return events.map((event) =>
      event.kind === 'open' ? { ...event, owner: this.#pick(owners) } : event,
    );
  }

  addClocks(): void {
    this.#times(2, () => {
      const hours = this.#upTo(this.chance(0.8) ? 6 : 30) * (this.chance(0.5) ? -1 : 1);
      const atMs = this.#upTo(this.#lengthMs + 4_000);
      this.events.push({ kind: 'clock', byMs: hours * HOUR_MS, atMs });
    });
  }
}

function isOfStorage({ kind }: StoryEvent): boolean {
  return kind === 'store' || kind === 'full-disk';
}

/** By chances of its own, as what makes a story live. */
export function withMore(seed: number, events: readonly StoryEvent[]): readonly StoryEvent[] {
  const tabs = [...new Set(events.flatMap((event) => (event.kind === 'open' ? event.tab : [])))];
  const more = new More(seededRandom(seed ^ 0xde1e7e), events, tabs);
  const isOf = (share: number): boolean => more.chance(share / 100);
  let kept = events;
  if (isOf(SHARES.deletion)) {
    if (more.chance(WITH_WHOLE_STORAGE)) kept = events.filter((event) => !isOfStorage(event));
    more.addDeletions();
  }
  if (isOf(SHARES.again)) more.addAgain();
  if (isOf(SHARES.sync)) more.addSyncs();
  if (isOf(SHARES.leave)) more.addLeaving();
  if (isOf(SHARES.unloadable)) more.addUnloadable();
  if (isOf(SHARES.clock)) more.addClocks();
  if (isOf(SHARES.owners)) kept = more.owned(kept);
  if (isOf(SHARES.cancel)) more.addCancels();
  return [...kept, ...more.events].sort((one, other) => one.atMs - other.atMs);
}
