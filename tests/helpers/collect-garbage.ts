import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage now; what only weak references hold is gone afterwards. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // A reference that was looked at lives until the end of its turn.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
}
