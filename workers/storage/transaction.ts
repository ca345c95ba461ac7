/**
 * Runs `work` in the transaction of a store. Fulfilled when the transaction is complete; rejects
 * with the error that ended it, or with what `work` threw, and then nothing has been written.
 */
export async function runToCompletion<T>(
  store: IDBObjectStore,
  work: (store: IDBObjectStore) => T | PromiseLike<T>,
): Promise<T> {
  const completion = whenComplete(store.transaction);
  const [worked, completed] = await Promise.allSettled([workOrAbort(store, work), completion]);
  // A promise on a transaction (idb-keyval's) rejects with null before the transaction has its
  // error.
  if (worked.status === 'rejected' && worked.reason) throw worked.reason;
  if (completed.status === 'rejected') throw completed.reason;
  if (worked.status === 'rejected') throw worked.reason;
  return worked.value;
}

/** Ends a transaction with all that was asked of it; harmless when it is over. */
export function abortQuietly(transaction: IDBTransaction | undefined): void {
  try {
    transaction?.abort();
  } catch {
    // The transaction is over already.
  }
}

/** What was asked before something is thrown must not be committed. */
async function workOrAbort<T>(
  store: IDBObjectStore,
  work: (store: IDBObjectStore) => T | PromiseLike<T>,
): Promise<T> {
  try {
    return await work(store);
  } catch (thrown) {
    abortQuietly(store.transaction);
    throw thrown;
  }
}

function whenComplete(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    let requestError: DOMException | null = null;
    transaction.addEventListener('complete', () => resolve());
    // Bubbles up from the request, when the transaction itself does not know its error yet.
    transaction.addEventListener('error', ({ target }) => {
      if (target instanceof IDBRequest) requestError ??= target.error;
    });
    transaction.addEventListener('abort', () => {
      const aborted = new DOMException('Transaction aborted', 'AbortError');
      reject(transaction.error ?? requestError ?? aborted);
    });
  });
}
