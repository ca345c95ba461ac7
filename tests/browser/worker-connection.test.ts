import { describe, expect, test, vi } from 'vitest';
import { createSnapshotStore } from '../../src/client/snapshot-store.ts';
import { createWorkerConnection } from '../../src/client/worker-connection.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { blobUrl } from '../helpers/capture-edges.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

/** With a worker that hears everything and answers nothing. */
function connect() {
  const onCrash = vi.fn(() => false);
  const connection = createWorkerConnection({
    createWorker: () => new Worker(blobUrl('onmessage = () => {};', 'text/javascript')),
    store: createSnapshotStore(),
    clock: browserClock,
    log: createRecordingLog(),
  });
  connection.onCrash(onCrash);
  return { connection, onCrash };
}

describe('a worker that is disposed of', () => {
  test('settles what it has not answered', async () => {
    const { connection, onCrash } = connect();
    const client = connection.worker();
    const answer = client.call(client.api.finish('s'));
    connection.dispose();
    await expect(answer).rejects.toMatchObject({ code: 'disposed' });
    await expect(client.call(client.api.ping())).rejects.toMatchObject({ code: 'disposed' });
    connection.dispose();
    expect(onCrash).not.toHaveBeenCalled();
  });

  test('is stood for by one that answers nobody, until one is wanted again', async () => {
    const { connection } = connect();
    connection.dispose();
    connection.tell((api) => api.retry(null));
    await expect(connection.ask((api) => api.wipe([]))).rejects.toMatchObject({ code: 'disposed' });
    connection.revive();
    expect(connection.hasWorker()).toBe(false);
  });
});
