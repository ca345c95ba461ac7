import type { Clock, Random } from '../../src/core/clock.ts';
import { languageOfSync } from '../../src/core/contracts/app-messages.ts';
import type { Logger } from '../../src/core/logger.ts';
import { createOwnerScope, ownerName } from '../../src/core/queue/owner.ts';
import type { ServerState } from '../../src/core/session/snapshot.ts';
import { createDictationLocks, takeTurnToSend } from '../../src/platform/locks.ts';
import { accountsAt, createChunkStore } from '../store/chunk-store.ts';
import { createDatabase } from '../store/database.ts';
import { createJournal, createOrphanCheck } from '../store/journal.ts';
import { inLikelyLanguage } from '../upload/fitted-request.ts';
import { createQueueChannel } from '../upload/queue-tabs.ts';
import { createWorkerRules, withTextRules } from '../upload/ruled-request.ts';
import { createTranscribeRequest } from '../upload/transcribe-request.ts';
import { drainQueue } from './drain-queue.ts';
import { openOnPress, tellOfTexts } from './tell-of-texts.ts';

/** Beside the page, as our own pages have it. */
const TRANSCRIPTION_PATH = 'api/asr/vad';

/** Not in TypeScript's own list: only Chromium has it. */
type SyncEvent = ExtendableEvent & { readonly tag: string };

type SendWhenClosedPorts = {
  readonly scope: ServiceWorkerGlobalScope;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Asks for the transcription server's state. */
  readonly server: () => Promise<ServerState>;
};

/** Sends what waits when the browser says that there is a network, with no page open. */
export function sendWhenClosed(ports: SendWhenClosedPorts): void {
  const { scope } = ports;
  scope.addEventListener('sync', ((event: SyncEvent) => {
    const language = languageOfSync(event.tag);
    if (language !== null) event.waitUntil(send(ports).then((texts) => tell(texts, language)));
  }) as EventListener);
  openOnPress(scope);

  async function tell(texts: number, language: string): Promise<void> {
    if (texts > 0) await tellOfTexts(scope, texts, language);
  }
}

/** Each account's own under its name: of those the server takes whose token the browser has. */
async function send({ scope, clock, random, log, server }: SendWhenClosedPorts): Promise<number> {
  const database = createDatabase({ clock });
  const address = new URL(TRANSCRIPTION_PATH, scope.location.href).href;
  try {
    const accounts = [...(await accountsAt(database, address))];
    const sent = await Promise.allSettled(accounts.map(sendOf));
    const failed = sent.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    return sent.reduce((sum, each) => sum + (each.status === 'fulfilled' ? each.value : 0), 0);
  } finally {
    database.close();
  }

  async function sendOf(account: string | null): Promise<number> {
    const owned = createOwnerScope({ account, address });
    const name = ownerName(owned.owner);
    const journal = createJournal({ database, clock, onFailure: () => {}, scope: owned });
    try {
      return await drainQueue({
        store: createChunkStore(database, journal, undefined, owned),
        request: inLikelyLanguage(
          withTextRules(
            createTranscribeRequest({ url: address, clock, account: () => account }),
            createWorkerRules({ rules: 'stored' }, { clock, log }),
          ),
          server,
        ),
        tabs: {
          ...createQueueChannel(owned),
          takeDrain: (signal, how) => takeTurnToSend(name, signal, how),
          isOrphan: createOrphanCheck({
            journal,
            locks: createDictationLocks(clock),
            onUnread: () => {},
          }),
        },
        clock,
        random,
        log,
      });
    } finally {
      await journal.dispose();
    }
  }
}
