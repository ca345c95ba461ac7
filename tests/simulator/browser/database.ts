import { BROWSER, type Line, type Owner, type Realm, type Scheduler } from '../scheduler.ts';

/** What may befall a transaction, or the opening of a database. */
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

/** What the disk says of a write that has come to pass. */
export type Commit = {
  readonly database: string;
  readonly isStrict: boolean;
  readonly put: readonly Stored[];
  /** What was written relaxed before: a strict write takes it along. */
  readonly flushed: readonly Stored[];
};

export type DiskPorts = {
  readonly scheduler: Scheduler;
  /** What is to befall the next piece of work on a database. */
  readonly fault: (database: string, mode: 'open' | IDBTransactionMode) => StoreFault | null;
  /** Bytes there may be. */
  readonly capacity: () => number;
  readonly onFull: () => void;
  readonly onCommit: (commit: Commit) => void;
};

/** IndexedDB of one browser, in memory. */
export type Disk = {
  readonly factory: Pick<IDBFactory, 'open'>;
  /** What is on it, in the order of keys. */
  records(database: string): readonly Stored[];
  readonly usedBytes: number;
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

function bytesOf(value: unknown): number {
  if (value instanceof ArrayBuffer) return value.byteLength;
  const { bytes } = Object(value) as { readonly bytes?: unknown };
  return 100 + (bytes instanceof ArrayBuffer ? bytes.byteLength : 0);
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

  within(range: FakeKeyRange): readonly Stored[] {
    return this.sorted().filter(({ key }) => range.includes(key));
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
  transaction: unknown = null;
}

type Work = { readonly request: FakeRequest; readonly run: () => unknown };

class FakeTransaction {
  error: DOMException | null = null;
  oncomplete: (() => void) | null = null;
  onabort: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly db: unknown;
  readonly #database: Database;
  readonly #owner: Owner;
  readonly #mode: IDBTransactionMode;
  readonly #isStrict: boolean;
  readonly #listeners: [string, (event: { target: unknown }) => void][] = [];
  #work: Work[] = [];
  #undo: Undo[] = [];
  #put: Stored[] = [];
  #isOver = false;
  #fault: StoreFault | null = null;
  #usedBefore = 0;

  constructor(db: unknown, database: Database, mode: IDBTransactionMode, isStrict: boolean) {
    this.db = db;
    this.#database = database;
    this.#owner = { realm: database.ports.scheduler.current };
    this.#mode = mode;
    this.#isStrict = isStrict;
    this.#owner.realm?.onDeath.push(() => this.#die());
  }

  addEventListener(type: string, listener: (event: { target: unknown }) => void): void {
    this.#listeners.push([type, listener]);
  }

  objectStore(): FakeStore {
    return new FakeStore(this);
  }

  get records(): Records {
    return this.#database.records;
  }

  ask(run: () => unknown): FakeRequest {
    if (this.#isOver) throw new DOMException('The transaction is over', 'TransactionInactiveError');
    const request = new FakeRequest();
    this.#work.push({ request, run });
    return request;
  }

  write(undo: Undo, stored?: Stored): void {
    this.#undo.push(undo);
    if (stored) this.#put.push(stored);
  }

  abort(): void {
    if (this.#isOver) throw new DOMException('The transaction is over', 'InvalidStateError');
    this.#end(null, () => this.#tellAborted());
  }

  /** Its turn has come. */
  begin(): void {
    const { ports, name } = this.#database;
    if (this.#isOver) {
      this.#database.next(this);
      return;
    }
    this.#fault = ports.fault(name, this.#mode);
    this.#usedBefore = this.records.usedBytes;
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
    if (work.length > 0 && this.#mode === 'readonly') {
      scheduler.soon(this.#owner, () => this.#step());
    } else if (work.some(({ request }) => request.onsuccess)) {
      scheduler.soon(this.#owner, () => this.#step());
    } else this.#finish();
  }

  #finish(): void {
    const { scheduler, capacity, onFull } = this.#database.ports;
    const { usedBytes } = this.records;
    if (usedBytes > this.#usedBefore && usedBytes > capacity()) {
      onFull();
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

  /** What was asked for whole may come to pass after its realm is gone. */
  #die(): void {
    if (this.#isOver) return;
    const isWhole = this.#work.length === 0 && this.#undo.length > 0 && this.#fault === null;
    if (isWhole && this.#database.ports.scheduler.random() < 0.5) {
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

  constructor(transaction: FakeTransaction) {
    this.transaction = transaction;
  }

  get #records(): Records {
    return this.transaction.records;
  }

  get(key: Key): FakeRequest {
    return this.transaction.ask(() => this.#records.get(key)?.value);
  }

  getKey(key: Key): FakeRequest {
    return this.transaction.ask(() => this.#records.get(key)?.key);
  }

  getAll(range: FakeKeyRange): FakeRequest {
    return this.transaction.ask(() => this.#records.within(range).map(({ value }) => value));
  }

  getAllKeys(range: FakeKeyRange): FakeRequest {
    return this.transaction.ask(() => this.#records.within(range).map(({ key }) => key));
  }

  put(value: unknown, key: Key): FakeRequest {
    return this.transaction.ask(() => {
      this.transaction.write(this.#records.set(key, value), { key, value });
      return key;
    });
  }

  delete(range: FakeKeyRange | Key): FakeRequest {
    return this.transaction.ask(() => this.transaction.write(this.#records.delete(range)));
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

/** A database: its transactions run one after the other. */
class Database {
  readonly name: string;
  readonly ports: DiskPorts;
  readonly records = new Records();
  readonly #line: FakeTransaction[] = [];
  /** What undoes the relaxed writes since the last strict one, and when each was. */
  #unflushed: {
    readonly atMs: number;
    readonly undo: readonly Undo[];
    readonly put: readonly Stored[];
  }[] = [];

  constructor(name: string, ports: DiskPorts) {
    this.name = name;
    this.ports = ports;
  }

  add(transaction: FakeTransaction): void {
    this.#line.push(transaction);
    if (this.#line.length === 1) transaction.begin();
  }

  next(done: FakeTransaction): void {
    const index = this.#line.indexOf(done);
    if (index < 0) return;
    this.#line.splice(index, 1);
    if (index === 0) this.#line[0]?.begin();
  }

  committed(undo: readonly Undo[], put: readonly Stored[], isStrict: boolean): void {
    if (undo.length === 0) return;
    const { scheduler, onCommit } = this.ports;
    const flushed = isStrict ? this.#unflushed.flatMap((before) => before.put) : [];
    if (isStrict) this.#unflushed = [];
    else this.#unflushed.push({ atMs: scheduler.nowMs, undo, put });
    onCommit({ database: this.name, isStrict, put, flushed });
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

  function connect(name: string): unknown {
    const database = databases.get(name) as Database;
    const connection = {
      addEventListener() {},
      close() {},
      createObjectStore() {},
      transaction(_store: string, mode: IDBTransactionMode, options?: IDBTransactionOptions) {
        if (ports.fault(name, 'open') === 'refused') {
          throw new DOMException('Made to be lost', 'InvalidStateError');
        }
        const isStrict = options?.durability === 'strict';
        const transaction = new FakeTransaction(connection, database, mode, isStrict);
        scheduler.soon(BROWSER, () => database.add(transaction), lineOf(scheduler.current));
        return transaction;
      },
    };
    return connection;
  }

  /** What one realm asks for is heard in that order. */
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
      if (ports.fault(name, 'open') === 'refused') {
        request.error = new DOMException('Made not to open', 'UnknownError');
        request.onerror?.();
        return;
      }
      const isNew = !databases.has(name);
      if (isNew) databases.set(name, new Database(name, ports));
      request.result = connect(name);
      if (isNew) request.onupgradeneeded?.();
      request.onsuccess?.();
    });
    return request;
  }

  return {
    factory: { open: open as unknown as IDBFactory['open'] },
    records: (name) => databases.get(name)?.records.sorted() ?? [],
    get usedBytes() {
      return [...databases.values()].reduce((sum, { records }) => sum + records.usedBytes, 0);
    },
    losePower() {
      for (const database of databases.values()) database.losePower();
    },
  };
}
