/** Code for the worker: nothing is stored any more, until `heal`. */
export const FULL_DISK = `{
  const put = IDBObjectStore.prototype.put;
  self.heal = () => { IDBObjectStore.prototype.put = put; };
  IDBObjectStore.prototype.put = function (...given) {
    this.transaction.abort();
    throw new DOMException('The disk is full', 'QuotaExceededError');
  };
}`;

/** The same of the chunks' table alone. */
export const FULL_QUEUE = `{
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function (...given) {
    if (this.name !== 'chunks') return put.apply(this, given);
    this.transaction.abort();
    throw new DOMException('The disk is full', 'QuotaExceededError');
  };
}`;
