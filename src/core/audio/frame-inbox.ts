import { DikteraError } from '../errors.ts';

/** One item's turn at being handled. */
export type InboxTurn = {
  /**
   * True once the inbox has stopped waiting for this turn and handled the item in the overload way:
   * an answer that comes now is too late and must be dropped.
   */
  readonly isGivenUp: boolean;
};

type InboxPorts<Item> = {
  /**
   * Handles one item. A promise that it returns is awaited before the next item's turn; without a
   * promise the next one follows at once, without a microtask in between. When it throws, the item
   * counts as not handled, and is handled the overload way.
   */
  readonly handle: (item: Item, turn: InboxTurn) => Promise<void> | void;
  /** The second way to handle items, for when they come faster than they are handled. */
  readonly overload: {
    /** The most items that may wait, at least 1. 625 frames are 60 s. */
    readonly limit: number;
    /** The cheap way to handle an item: at once, and without fail. */
    readonly handle: (item: Item) => void;
  };
  /** Called when the number of waiting items, or its maximum, has changed. */
  readonly onLag?: (lag: InboxLag) => void;
  /**
   * Called when a handler threw or a turn was given up, once the item is handled the overload way.
   */
  readonly onError: (error: unknown, item: Item) => void;
};

/** The items that wait; the one whose turn it is does not. */
export type InboxLag = { readonly waiting: number; readonly maxWaiting: number };

/** A queue in front of stateful work: ordered, one item at a time, bounded, and it never drops. */
export type Inbox<Item> = {
  /** Takes an item; false if the inbox is closed and did not take it. */
  push(item: Item): boolean;
  /**
   * Handles all that waits the cheap way, at once; gives up the turn under way, too. For a stop
   * that can wait no longer.
   */
  flush(): void;
  /** Fulfilled when nothing waits and nothing is being handled. */
  whenIdle(): Promise<void>;
  /** Takes no more; what waits is still handled. Gives `whenIdle`. */
  close(): Promise<void>;
  readonly lag: InboxLag;
};

/**
 * Makes an inbox. Items are handled strictly in the order of arrival, in one of two ways:
 * ordinarily, or cheaply when more than `overload.limit` of them wait: then the oldest go the cheap
 * way until no more than the limit are left.
 *
 * An asynchronous turn during which more than `overload.limit` items arrive is given up, since it
 * may never end: its item is handled cheaply, `onError` hears `engine-failed`, and the inbox goes
 * on. Therefore at most `limit` items wait when a turn begins and twice as many when it is given
 * up.
 */
export function createInbox<Item>(ports: InboxPorts<Item>): Inbox<Item> {
  const { handle, overload, onLag, onError } = ports;
  const waiting: Item[] = [];
  let maxWaiting = 0;
  let reported: InboxLag = { waiting: 0, maxWaiting: 0 };
  let isClosed = false;
  /** While true, an item pushed from within a handler waits for its turn. */
  let isDraining = false;
  let pending: { readonly item: Item; readonly turn: { isGivenUp: boolean } } | null = null;
  let arrivedInTurn = 0;
  let idleListeners: (() => void)[] = [];

  function drain(): void {
    isDraining = true;
    while (pending === null && waiting.length > 0) {
      const isOverloaded = waiting.length > overload.limit;
      const item = waiting.shift() as Item;
      if (isOverloaded) handleCheaply(item);
      else beginTurn(item);
    }
    isDraining = false;
    if (isIdle()) announceIdle();
    reportLag();
  }

  function beginTurn(item: Item): void {
    const turn = { isGivenUp: false };
    try {
      const outcome = handle(item, turn);
      if (outcome === undefined) return;
      pending = { item, turn };
      arrivedInTurn = 0;
      outcome.then(
        () => endTurn(turn),
        (error) => failTurn(turn, error, item),
      );
    } catch (error) {
      fail(error, item);
    }
  }

  function endTurn(turn: InboxTurn): void {
    if (turn.isGivenUp) return;
    pending = null;
    drain();
  }

  function failTurn(turn: InboxTurn, error: unknown, item: Item): void {
    if (turn.isGivenUp) return;
    pending = null;
    isDraining = true;
    fail(error, item);
    drain();
  }

  function giveUpTurn(reason: DikteraError | null): void {
    if (pending === null) return;
    const { item, turn } = pending;
    turn.isGivenUp = true;
    pending = null;
    isDraining = true;
    if (reason === null) handleCheaply(item);
    else fail(reason, item);
    isDraining = false;
  }

  function fail(error: unknown, item: Item): void {
    handleCheaply(item);
    report(error, item);
  }

  function handleCheaply(item: Item): void {
    try {
      overload.handle(item);
    } catch (error) {
      report(error, item);
    }
  }

  function report(error: unknown, item: Item): void {
    try {
      onError(error, item);
    } catch {
      // A reporter that throws must not stop the items behind.
    }
  }

  function reportLag(): void {
    if (waiting.length === reported.waiting && maxWaiting === reported.maxWaiting) return;
    reported = { waiting: waiting.length, maxWaiting };
    onLag?.(reported);
  }

  function isIdle(): boolean {
    return pending === null && waiting.length === 0 && !isDraining;
  }

  function announceIdle(): void {
    const listeners = idleListeners;
    idleListeners = [];
    for (const listener of listeners) listener();
  }

  function whenIdle(): Promise<void> {
    if (isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      idleListeners.push(resolve);
    });
  }

  return {
    push(item) {
      if (isClosed) return false;
      waiting.push(item);
      if (pending === null && !isDraining) {
        drain();
        return true;
      }
      maxWaiting = Math.max(maxWaiting, waiting.length);
      arrivedInTurn++;
      if (pending !== null && arrivedInTurn > overload.limit) {
        const message = `No answer while ${arrivedInTurn} more items arrived`;
        giveUpTurn(new DikteraError('engine-failed', message));
        drain();
      } else {
        reportLag();
      }
      return true;
    },
    flush() {
      giveUpTurn(null);
      const isWithinHandler = isDraining;
      isDraining = true;
      while (waiting.length > 0) handleCheaply(waiting.shift() as Item);
      isDraining = isWithinHandler;
      if (isIdle()) announceIdle();
      reportLag();
    },
    whenIdle,
    close() {
      isClosed = true;
      return whenIdle();
    },
    get lag() {
      return { waiting: waiting.length, maxWaiting };
    },
  };
}
