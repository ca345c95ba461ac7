/**
 * Runs `work` in a transaction. Fulfilled when the transaction is complete; rejects with the error
 * that ended it, or with what `work` threw, and then nothing has been written.
 */
export async function runToCompletion<T>(
  transaction: IDBTransaction,
  work: (transaction: IDBTransaction) => T | PromiseLike<T>,
): Promise<T> {
  const completion = whenComplete(transaction);
  const [worked, completed] = await Promise.allSettled([
    workOrAbort(transaction, work),
    completion,
  ]);
  // A request of an aborted transaction may reject with null, before that has its error.
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
  transaction: IDBTransaction,
  work: (transaction: IDBTransaction) => T | PromiseLike<T>,
): Promise<T> {
  try {
    return await work(transaction);
  } catch (thrown) {
    abortQuietly(transaction);
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
