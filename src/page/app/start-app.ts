import type { Dictation } from '../../core/contracts/dictation.ts';
import { registerServiceWorker } from './registration.ts';

/** Makes the page one that opens without a network. */
export async function startApp(_dictation: Dictation): Promise<void> {
  await registerServiceWorker();
}
