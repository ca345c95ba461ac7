/**
 * Runs work one at a time for each key, in the order of asking; different keys run side by side.
 */
export type Turns = {
  run<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
};

/** Turns that nobody has taken yet. A failure is the asker's and does not stop those behind. */
export function createTurns(): Turns {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
      const before = tails.get(key) ?? Promise.resolve();
      const result = before.then(work);
      const tail = result
        .catch(() => undefined)
        .then(() => {
          if (tails.get(key) === tail) tails.delete(key);
        });
      tails.set(key, tail);
      return result;
    },
  };
}
