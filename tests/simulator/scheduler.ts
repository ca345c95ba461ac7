import type { Clock } from '../../src/core/clock.ts';
import { seededRandom } from '../helpers/seeded-random.ts';

/** A page, a worker or an audio thread: what can die, or stand still, by itself. */
export type Realm = {
  readonly name: string;
  isDead: boolean;
  isFrozen: boolean;
  /** Tasks that came due while it was frozen. */
  held: Task[];
  /** Run once, when it dies. */
  readonly onDeath: (() => void)[];
};

/** Whose a task is, asked for when its time has come; null is the browser itself, which lives. */
export type Owner = { readonly realm: Realm | null };

/** Tasks in one line keep their order. */
export type Line = { lastDueMs: number };

export type Task = {
  dueMs: number;
  readonly order: number;
  readonly owner: Owner;
  run: (() => void) | null;
};

/** Made time: whatever happens is a task of some realm, and all tasks are in one order. */
export type Scheduler = {
  readonly nowMs: number;
  /** The realm whose task runs now, and whose promises run behind it. */
  readonly current: Realm | null;
  /** Grows with every task: the same for the same story. */
  readonly trace: number;
  readonly tasks: number;
  random(): number;
  newRealm(name: string): Realm;
  kill(realm: Realm): void;
  /** Nothing of it runs until it is thawed: a worker that hangs, a page that is suspended. */
  freeze(realm: Realm, forMs: number): void;
  thaw(realm: Realm): void;
  /** Runs something later; the answer takes it back. */
  after(delayMs: number, owner: Owner, run: () => void, line?: Line): () => void;
  /** The same, after as long as a message or an answer of the browser takes. */
  soon(owner: Owner, run: () => void, line?: Line): void;
  clockOf(realm: Realm): Clock;
  /** Sets the computer's clock; what waits for its time does not wait for that. */
  setClock(byMs: number): void;
  /** Lets time pass until a moment. */
  runUntil(untilMs: number): Promise<void>;
};

/** 2023-11-14: any day will do. */
const BEGIN_MS = 1_700_000_000_000;

/** The browser itself. */
export const BROWSER: Owner = { realm: null };

/** Immediates asked for at a time: the event loop looks at the system once for all of them. */
const TASKS_PER_LOOK = 64;

/**
 * Makes a scheduler. Each task has an immediate to itself, so that all promises it has settled have
 * run before the next one: they are its realm's.
 */
export function createScheduler(seed: number): Scheduler {
  const random = seededRandom(seed);
  const heap: Task[] = [];
  let nowMs = BEGIN_MS;
  let setByMs = 0;
  let order = 0;
  let current: Realm | null = null;
  let trace = 0;
  let tasks = 0;

  function isBefore(one: Task, other: Task): boolean {
    return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
  }

  function push(task: Task): void {
    let index = heap.length;
    heap.push(task);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Task;
      if (!isBefore(task, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = task;
  }

  function pop(): Task | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Task, heap[child] as Task)) {
        child += 1;
      }
      if (!isBefore(heap[child] as Task, last)) break;
      heap[index] = heap[child] as Task;
      index = child;
    }
    heap[index] = last;
    return first;
  }

  function after(delayMs: number, owner: Owner, run: () => void, line?: Line): () => void {
    let dueMs = nowMs + Math.max(0, delayMs);
    if (line) {
      dueMs = Math.max(dueMs, line.lastDueMs);
      line.lastDueMs = dueMs;
    }
    order += 1;
    const task: Task = { dueMs, order, owner, run };
    push(task);
    return () => {
      task.run = null;
    };
  }

  function thaw(realm: Realm): void {
    realm.isFrozen = false;
    for (const task of realm.held) {
      task.dueMs = Math.max(task.dueMs, nowMs);
      push(task);
    }
    realm.held = [];
  }

  /** The next task that can run, its time come. */
  function takeNext(untilMs: number): Task | undefined {
    for (;;) {
      const next = heap[0];
      if (!next || next.dueMs > untilMs) return undefined;
      pop();
      if (!next.run) continue;
      const { realm } = next.owner;
      if (realm?.isDead) continue;
      if (realm?.isFrozen) {
        realm.held.push(next);
        continue;
      }
      return next;
    }
  }

  /** False if there is nothing more to run until then. */
  function runNext(untilMs: number): boolean {
    const task = takeNext(untilMs);
    if (!task?.run) {
      nowMs = Math.max(nowMs, untilMs);
      return false;
    }
    nowMs = Math.max(nowMs, task.dueMs);
    current = task.owner.realm;
    tasks += 1;
    trace = (Math.imul(trace, 31) + Math.floor(nowMs * 1_000) + task.order) | 0;
    const { run } = task;
    task.run = null;
    run();
    return true;
  }

  return {
    get nowMs() {
      return nowMs;
    },
    get current() {
      return current;
    },
    get trace() {
      return trace;
    },
    get tasks() {
      return tasks;
    },
    random,
    newRealm: (name) => ({ name, isDead: false, isFrozen: false, held: [], onDeath: [] }),
    kill(realm) {
      if (realm.isDead) return;
      realm.isDead = true;
      for (const die of realm.onDeath) die();
    },
    freeze(realm, forMs) {
      realm.isFrozen = true;
      after(forMs, BROWSER, () => thaw(realm));
    },
    thaw,
    after,
    soon(owner, run, line) {
      const luck = random();
      // Mostly at once, now and then as long as a busy machine takes.
      after(luck < 0.97 ? luck : random() * 60, owner, run, line);
    },
    clockOf: (realm) => {
      const owner = { realm };
      return {
        nowMs: () => Math.floor(nowMs + setByMs),
        after: (delayMs, run) => after(delayMs, owner, run),
      };
    },
    setClock(byMs) {
      setByMs += byMs;
    },
    runUntil(untilMs) {
      return new Promise((resolve, reject) => {
        let isOver = false;
        let left = 0;

        const end = (settle: () => void): void => {
          isOver = true;
          settle();
        };
        const askForMore = (): void => {
          left = TASKS_PER_LOOK;
          for (let asked = 0; asked < TASKS_PER_LOOK; asked += 1) setImmediate(step);
        };
        const step = (): void => {
          if (isOver) return;
          try {
            if (!runNext(untilMs)) end(resolve);
          } catch (error) {
            end(() => reject(error));
          }
          left -= 1;
          if (left === 0 && !isOver) askForMore();
        };
        askForMore();
      });
    },
  };
}
