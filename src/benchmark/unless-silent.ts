import type { Clock } from '../core/clock.ts';
import { DikteraError } from '../core/errors.ts';
import { createHeartbeat } from '../core/heartbeat.ts';

/** Opening a model, or inferring the test clip, keeps a worker from answering: seconds, where it is slow. */
const SILENT_TICKS = 30;

/**
 * What `work` gives, unless the worker that does it answers no `ping` for half a minute: then it
 * throws `worker-timeout`.
 */
export function unlessSilent<T>(
  clock: Clock,
  work: Promise<T>,
  ping: () => Promise<void>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const heartbeat = createHeartbeat({
      clock,
      ping,
      silenceLimitTicks: () => SILENT_TICKS,
      isAtRest: () => false,
      onSilent: (ticks) => {
        const message = `The worker has not answered for ${ticks} looks, a second apart`;
        reject(new DikteraError('worker-timeout', message));
      },
    });
    work.then(resolve, reject).finally(() => heartbeat.stop());
  });
}
