import type { Clock } from '../core/clock.ts';
import { DikteraError } from '../core/errors.ts';

const LOOK_EVERY_MS = 1_000;

/** Opening a model, or inferring the test clip, keeps a worker from answering: seconds, where it is slow. */
const SILENT_LOOKS = 30;

/**
 * What `work` gives, unless the worker that does it answers no `ping` for half a minute: then it
 * throws `worker-timeout`. Silence is counted in looks: a page that was asleep has looked once.
 */
export function unlessSilent<T>(
  clock: Clock,
  work: Promise<T>,
  ping: () => Promise<unknown>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isWaiting = false;
    let silentLooks = 0;
    let cancel = (): void => {};

    function ask(): void {
      isWaiting = true;
      silentLooks = 0;
      ping().then(
        () => {
          isWaiting = false;
        },
        () => {}, // No answer.
      );
    }

    function look(): void {
      if (isWaiting) silentLooks += 1;
      else ask();
      if (silentLooks < SILENT_LOOKS) {
        cancel = clock.after(LOOK_EVERY_MS, look);
        return;
      }
      const message = `The worker has not answered for ${silentLooks} looks, a second apart`;
      reject(new DikteraError('worker-timeout', message));
    }

    look();
    work.then(resolve, reject).finally(() => cancel());
  });
}
