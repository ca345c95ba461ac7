import { SAMPLE_RATE_HZ } from '../../../src/core/audio/audio-format.ts';
import { BROWSER, type Line, type Owner, type Realm, type Scheduler } from '../scheduler.ts';

/** A fault of a transaction, or of opening a database. */
export type StoreFault =
  /** The connection is lost before anything is asked of it. */
  | 'refused'
  /** It ends with all that was asked, at once, or when all of it seemed done. */
  | 'aborted'
  | 'aborted-late'
  /** All of it has happened, and the answer says that nothing has. */
  | 'answer-lost'
  /** It takes seconds, or longer than anybody waits. */
  | 'slow'
  | 'hung';

export type Key = IDBValidKey;
type Stored = { readonly key: Key; readonly value: unknown };

/** The disk's report of a write that was committed. */
export type Commit = {
  readonly isStrict: boolean;
  readonly put: readonly Stored[];
  /** Earlier relaxed writes: a strict write flushes them. */
  readonly flushed: readonly Stored[];
};

export type DiskPorts = {
  readonly scheduler: Scheduler;
  /** Draws the fault of the next work on these object stores; none means all of them. */
  readonly fault: (
    stores: readonly string[],
    mode: 'open' | IDBTransactionMode,
  ) => StoreFault | null;
  /** Bytes there may be. */
  readonly capacity: () => number;
  readonly onFull: () => void;
  readonly onCommit: (commit: Commit) => void;
};

/** IndexedDB of one browser, in memory. */
export type Disk = {
  readonly factory: Pick<IDBFactory, 'open'>;
  /** The records of an object store in the order of keys, in whichever database it is. */
  records(store: string): readonly Stored[];
  readonly usedBytes: number;
  /** No transaction is under way: all that `records` gives was committed. */
  readonly isAtRest: boolean;
  /** The power fails: what was written relaxed since the last strict write may be gone. */
  losePower(): void;
};

/** A relaxed write reaches the disk by itself after so long. */
const FLUSHED_AFTER_MS = 30_000;

export function compareKeys(one: Key, other: Key): number {
  if (Array.isArray(one)) {
    if (!Array.isArray(other)) return 1;
    for (let index = 0; index < one.length && index < other.length; index += 1) {
      const order = compareKeys(one[index] as Key, other[index] as Key);
      if (order !== 0) return order;
    }
    return one.length - other.length;
  }
  if (Array.isArray(other)) return -1;
  if (typeof one === typeof other) return one < other ? -1 : one > other ? 1 : 0;
  return typeof one === 'number' ? -1 : 1;
}

export class FakeKeyRange {
  readonly lower: Key;
  readonly upper: Key;
  constructor(lower: Key, upper: Key) {
    this.lower = lower;
    this.upper = upper;
  }
  static bound(lower: Key, upper: Key): FakeKeyRange {
    return new FakeKeyRange(lower, upper);
  }
  includes(key: Key): boolean {
    return compareKeys(key, this.lower) >= 0 && compareKeys(key, this.upper) <= 0;
  }
}

/** Audio takes the room that it would at 16 kHz, however coarse it is. */
const ROOM_PER_BYTE = 16_000 / SAMPLE_RATE_HZ;

function bytesOf(value: unknown): number {
  const { bytes = value } = Object(value) as { readonly bytes?: unknown };
  const audioBytes = bytes instanceof ArrayBuffer ? bytes.byteLength * ROOM_PER_BYTE : 0;
  return value instanceof ArrayBuffer ? audioBytes : 100 + audioBytes;
}

type Undo = () => void;

/** One object store, and what it takes to have it as it was. */
class Records {
  readonly #byId = new Map<string, Stored>();
  #sorted: Stored[] | null = null;
  usedBytes = 0;

  sorted(): readonly Stored[] {
    this.#sorted ??= [...this.#byId.values()].sort((a, b) => compareKeys(a.key, b.key));
    return this.#sorted;
  }

  within(range?: FakeKeyRange): readonly Stored[] {
    return range ? this.sorted().filter(({ key }) => range.includes(key)) : this.sorted();
  }

  get(key: Key): Stored | undefined {
    return this.#byId.get(JSON.stringify(key));
  }

  set(key: Key, value: unknown): Undo {
    const id = JSON.stringify(key);
    const before = this.#byId.get(id);
    this.#write(id, { key, value });
    return () => this.#write(id, before);
  }

  delete(range: FakeKeyRange | Key): Undo {
    const gone = range instanceof FakeKeyRange ? this.within(range) : [this.get(range)];
    const found = gone.filter((record) => record !== undefined);
    for (const { key } of found) this.#write(JSON.stringify(key), undefined);
    return () => {
      for (const record of found) this.#write(JSON.stringify(record.key), record);
    };
  }

  #write(id: string, record: Stored | undefined): void {
    const before = this.#byId.get(id);
    if (before) this.usedBytes -= bytesOf(before.value);
    if (record) this.usedBytes += bytesOf(record.value);
    if (record) this.#byId.set(id, record);
    else this.#byId.delete(id);
    this.#sorted = null;
  }
}

export class FakeRequest {
  result: unknown;
  error: DOMException | null = null;
  onsuccess: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onupgradeneeded: (() => void) | null = null;
  transaction: { abort(): void; objectStore(): { createIndex(): void } } | null = null;
}

type Work = { readonly request: FakeRequest; readonly run: () => unknown };

class FakeTransaction {
  error: DOMException | null = null;
  oncomplete: (() => void) | null = null;
  onabort: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly db: unknown;
  readonly #database: Database;
  readonly names: readonly string[];
  readonly #owner: Owner;
  readonly #mode: IDBTransactionMode;
  readonly #isStrict: boolean;
  readonly #listeners: [string, (event: { target: unknown }) => void][] = [];
  #work: Work[] = [];
  #undo: Undo[] = [];
  #put: Stored[] = [];
  #isOver = false;
  #hasBegun = false;
  /** Nothing more will be asked. */
  #isCommitting = false;
  #fault: StoreFault | null = null;
  /** Bytes by which it makes the disk fuller. */
  #grown = 0;

  constructor(
    db: unknown,
    database: Database,
    names: readonly string[],
    mode: IDBTransactionMode,
    isStrict: boolean,
  ) {
    this.db = db;
    this.#database = database;
    this.names = names;
    this.#owner = { realm: database.ports.scheduler.current };
    this.#mode = mode;
    this.#isStrict = isStrict;
    this.#owner.realm?.onDeath.push(() => this.#die());
  }

  addEventListener(type: string, listener: (event: { target: unknown }) => void): void {
    this.#listeners.push([type, listener]);
  }

  objectStore(name: string): FakeStore {
    if (!this.names.includes(name)) throw new DOMException(`Not of it: ${name}`, 'NotFoundError');
    return new FakeStore(this, this.#database.recordsOf(name), name);
  }

  ask(run: () => unknown): FakeRequest {
    if (this.#isOver || this.#isCommitting) {
      throw new DOMException('The transaction is over', 'TransactionInactiveError');
    }
    const request = new FakeRequest();
    this.#work.push({ request, run });
    return request;
  }

  write(records: Records, change: () => Undo, stored?: Stored): void {
    const before = records.usedBytes;
    this.#undo.push(change());
    this.#grown += records.usedBytes - before;
    if (stored) this.#put.push(stored);
  }

  commit(): void {
    if (this.#isOver || this.#isCommitting) {
      throw new DOMException('The transaction is over', 'InvalidStateError');
    }
    this.#isCommitting = true;
  }

  abort(): void {
    if (this.#isOver || this.#isCommitting)
      throw new DOMException('The transaction is over', 'InvalidStateError');
    this.#end(null, () => this.#tellAborted());
  }

  /** Its turn has come. */
  begin(): void {
    const { ports } = this.#database;
    if (this.#isOver) {
      this.#database.next(this);
      return;
    }
    this.#hasBegun = true;
    this.#fault = ports.fault(this.names, this.#mode);
    if (this.#fault === 'aborted') {
      this.#fail(new DOMException('Made to fail', 'UnknownError'));
      return;
    }
    ports.scheduler.soon(this.#owner, () => this.#step());
  }

  /** Does all that is asked so far; what its answers lead to is asked before the next step. */
  #step(): void {
    if (this.#isOver) return;
    const { scheduler } = this.#database.ports;
    const work = this.#work;
    this.#work = [];
    for (const { request, run } of work) {
      request.result = run();
      request.onsuccess?.();
    }
    if (this.#isOver) return;
    if (!this.#isCommitting && work.length > 0 && this.#mode === 'readonly') {
      scheduler.soon(this.#owner, () => this.#step());
    } else if (!this.#isCommitting && work.some(({ request }) => request.onsuccess)) {
      scheduler.soon(this.#owner, () => this.#step());
    } else this.#finish();
  }

  #finish(): void {
    const { ports } = this.#database;
    const { scheduler } = ports;
    if (this.#grown > 0 && ports.usedBytes() > ports.capacity()) {
      ports.onFull();
      this.#fail(new DOMException('Made to be full', 'QuotaExceededError'));
      return;
    }
    const delayMs = this.#delayMs();
    scheduler.after(delayMs, BROWSER, () => {
      if (this.#isOver) return;
      if (this.#fault === 'aborted-late') {
        this.#fail(new DOMException('Made to end late', 'AbortError'));
        return;
      }
      this.#commit();
    });
  }

  #delayMs(): number {
    const { random } = this.#database.ports.scheduler;
    switch (this.#fault) {
      case 'slow':
        return 100 + random() * 4_000;
      case 'aborted-late':
        return random() * 700;
      case 'hung':
        return 10_000 + random() * 30_000;
      default:
        return this.#mode === 'readonly' ? 0 : random() * (this.#isStrict ? 12 : 3);
    }
  }

  #commit(): void {
    const { scheduler } = this.#database.ports;
    this.#isOver = true;
    this.#database.committed(this.#undo, this.#put, this.#isStrict);
    scheduler.soon(this.#owner, () => {
      if (this.#fault === 'answer-lost') {
        this.error = new DOMException('Made to lose the answer', 'UnknownError');
        this.#tell('abort', this.onabort);
        return;
      }
      this.#tell('complete', this.oncomplete);
    });
    this.#database.next(this);
  }

  #fail(error: DOMException): void {
    this.error = error;
    this.#end(error, () => this.#tellAborted());
  }

  #end(_error: DOMException | null, tell: () => void): void {
    this.#isOver = true;
    for (const undo of this.#undo.reverse()) undo();
    this.#database.ports.scheduler.soon(this.#owner, tell);
    this.#database.next(this);
  }

  #tellAborted(): void {
    for (const { request } of this.#work) {
      request.error = this.error ?? new DOMException('Aborted', 'AbortError');
      request.onerror?.();
    }
    this.#tell('abort', this.onabort);
  }

  #tell(type: string, own: (() => void) | null): void {
    own?.();
    for (const [wanted, listener] of this.#listeners) {
      if (wanted === type) listener({ target: this });
    }
  }

  /** A transaction whose work was all requested may still be committed after its realm is gone. */
  #die(): void {
    if (this.#isOver) return;
    const isAsked = this.#isCommitting
      ? this.#hasBegun
      : this.#work.length === 0 && this.#undo.length > 0;
    const isWhole = isAsked && this.#fault === null;
    if (isWhole && this.#database.ports.scheduler.random() < 0.5) {
      for (const { run } of this.#work) run();
      this.#commit();
      return;
    }
    this.#isOver = true;
    for (const undo of this.#undo.reverse()) undo();
    this.#database.next(this);
  }
}

class FakeStore {
  readonly transaction: FakeTransaction;
  readonly name: string;
  readonly #records: Records;

  constructor(transaction: FakeTransaction, records: Records, name: string) {
    this.transaction = transaction;
    this.#records = records;
    this.name = name;
  }

  get(key: Key): FakeRequest {
    return this.transaction.ask(() => this.#records.get(key)?.value);
  }

  getKey(key: Key): FakeRequest {
    return this.transaction.ask(() => this.#records.get(key)?.key);
  }

  getAll(range?: FakeKeyRange): FakeRequest {
    return this.transaction.ask(() => this.#records.within(range).map(({ value }) => value));
  }

  getAllKeys(range?: FakeKeyRange): FakeRequest {
    return this.transaction.ask(() => this.#records.within(range).map(({ key }) => key));
  }

  /** Records whose value has a property of the index's name. */
  index(name: string): { getAll(): FakeRequest } {
    const values = () => this.#records.sorted().map(({ value }) => value);
    const isIn = (value: unknown): boolean => Object(value)[name] !== undefined;
    return { getAll: () => this.transaction.ask(() => values().filter(isIn)) };
  }

  put(value: unknown, key: Key): FakeRequest {
    return this.transaction.ask(() => {
      this.transaction.write(this.#records, () => this.#records.set(key, value), { key, value });
      return key;
    });
  }

  delete(range: FakeKeyRange | Key): FakeRequest {
    return this.transaction.ask(() =>
      this.transaction.write(this.#records, () => this.#records.delete(range)),
    );
  }

  openKeyCursor(range: FakeKeyRange): FakeRequest {
    const request: FakeRequest = this.transaction.ask(() => cursorAt(range.lower));
    const cursorAt = (from: Key): unknown => {
      const keys = this.#records.within(range).map(({ key }) => key);
      const key = keys.find((candidate) => compareKeys(candidate, from) >= 0);
      if (key === undefined) return null;
      return {
        key,
        continue: (next: Key) => {
          request.result = cursorAt(next);
          request.onsuccess?.();
        },
      };
    };
    return request;
  }
}

type DatabasePorts = DiskPorts & { readonly usedBytes: () => number };

/** A database: transactions that have an object store in common run one after the other. */
class Database {
  readonly ports: DatabasePorts;
  readonly #stores = new Map<string, Records>();
  readonly #line: FakeTransaction[] = [];
  readonly #begun = new Set<FakeTransaction>();
  /** The undo of relaxed writes since the last strict one, with their times. */
  #unflushed: {
    readonly atMs: number;
    readonly undo: readonly Undo[];
    readonly put: readonly Stored[];
  }[] = [];

  constructor(ports: DatabasePorts) {
    this.ports = ports;
  }

  addStore(name: string): void {
    this.#stores.set(name, new Records());
  }

  recordsOf(name: string): Records {
    const records = this.#stores.get(name);
    if (!records) throw new DOMException(`No such store: ${name}`, 'NotFoundError');
    return records;
  }

  records(name: string): readonly Stored[] {
    return this.#stores.get(name)?.sorted() ?? [];
  }

  get usedBytes(): number {
    return [...this.#stores.values()].reduce((sum, records) => sum + records.usedBytes, 0);
  }

  get isAtRest(): boolean {
    return this.#line.length === 0;
  }

  add(transaction: FakeTransaction): void {
    this.#line.push(transaction);
    this.#beginFree();
  }

  next(done: FakeTransaction): void {
    const index = this.#line.indexOf(done);
    if (index < 0) return;
    this.#line.splice(index, 1);
    this.#begun.delete(done);
    this.#beginFree();
  }

  /** Each whose object stores nobody before it in line has. */
  #beginFree(): void {
    const taken = new Set<string>();
    for (const transaction of [...this.#line]) {
      const isFree = !transaction.names.some((name) => taken.has(name));
      for (const name of transaction.names) taken.add(name);
      if (!isFree || this.#begun.has(transaction)) continue;
      this.#begun.add(transaction);
      transaction.begin();
    }
  }

  committed(undo: readonly Undo[], put: readonly Stored[], isStrict: boolean): void {
    if (undo.length === 0) return;
    const { scheduler, onCommit } = this.ports;
    const flushed = isStrict ? this.#unflushed.flatMap((before) => before.put) : [];
    if (isStrict) this.#unflushed = [];
    else this.#unflushed.push({ atMs: scheduler.nowMs, undo, put });
    onCommit({ isStrict, put, flushed });
  }

  losePower(): void {
    const { nowMs, random } = this.ports.scheduler;
    const fresh = this.#unflushed.filter(({ atMs }) => nowMs - atMs < FLUSHED_AFTER_MS);
    const kept = Math.floor(random() * (fresh.length + 1));
    for (const { undo } of fresh.slice(kept).reverse()) {
      for (const step of [...undo].reverse()) step();
    }
    this.#unflushed = [];
  }
}

/** Makes an empty disk. */
export function createDisk(ports: DiskPorts): Disk {
  const { scheduler } = ports;
  const databases = new Map<string, Database>();
  const usedBytes = (): number =>
    [...databases.values()].reduce((sum, database) => sum + database.usedBytes, 0);

  function connect(database: Database): unknown {
    const connection = {
      addEventListener() {},
      close() {},
      objectStoreNames: [],
      createObjectStore: (name: string) => database.addStore(name),
      transaction(
        names: readonly string[],
        mode: IDBTransactionMode,
        options?: IDBTransactionOptions,
      ) {
        if (ports.fault(names, 'open') === 'refused') {
          throw new DOMException('Made to be lost', 'InvalidStateError');
        }
        const isStrict = options?.durability === 'strict';
        const transaction = new FakeTransaction(connection, database, names, mode, isStrict);
        scheduler.soon(BROWSER, () => database.add(transaction), lineOf(scheduler.current));
        return transaction;
      },
    };
    return connection;
  }

  /** The requests of one realm keep their order. */
  const lines = new Map<Realm | null, Line>();
  function lineOf(realm: Realm | null): Line {
    const found = lines.get(realm) ?? { lastDueMs: 0 };
    lines.set(realm, found);
    return found;
  }

  function open(name: string): FakeRequest {
    const request = new FakeRequest();
    const owner = { realm: scheduler.current };
    scheduler.soon(owner, () => {
      if (ports.fault([], 'open') === 'refused') {
        request.error = new DOMException('Made not to open', 'UnknownError');
        request.onerror?.();
        return;
      }
      const found = databases.get(name);
      const database = found ?? new Database({ ...ports, usedBytes });
      request.result = connect(database);
      if (!found) {
        databases.set(name, database);
        request.transaction = {
          abort: () => databases.delete(name),
          objectStore: () => ({ createIndex() {} }),
        };
        request.onupgradeneeded?.();
      }
      if (databases.has(name)) request.onsuccess?.();
      else {
        request.error = new DOMException('Made anew by nobody', 'AbortError');
        request.onerror?.();
      }
    });
    return request;
  }

  return {
    factory: { open: open as unknown as IDBFactory['open'] },
    records: (name) => [...databases.values()].flatMap((database) => database.records(name)),
    get usedBytes() {
      return usedBytes();
    },
    get isAtRest() {
      return [...databases.values()].every((database) => database.isAtRest);
    },
    losePower() {
      for (const database of databases.values()) database.losePower();
    },
  };
}
