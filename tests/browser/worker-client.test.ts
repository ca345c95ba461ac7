import { describe, expect, test, vi } from 'vitest';
import { goneWorker, startWorkerClient } from '../../src/client/worker-client.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { blobUrl } from '../helpers/capture-edges.ts';

/** A worker that hears everything and answers nothing. */
function startDeaf() {
  const onCrash = vi.fn();
  const client = startWorkerClient({
    createWorker: () => new Worker(blobUrl('onmessage = () => {};', 'text/javascript')),
    clock: browserClock,
    isRecording: () => false,
    isAtRest: () => true,
    onPatch: () => {},
    onCrash,
  });
  return { client, onCrash };
}

describe('a worker that is disposed of', () => {
  test('settles what it has not answered', async () => {
    const { client, onCrash } = startDeaf();
    const answer = client.call(client.api.finish('s'));
    client.dispose();
    await expect(answer).rejects.toMatchObject({ code: 'disposed' });
    await expect(client.call(client.api.ping())).rejects.toMatchObject({ code: 'disposed' });
    client.dispose();
    expect(onCrash).not.toHaveBeenCalled();
  });

  test('is stood for by one that answers nobody', async () => {
    const client = goneWorker();
    void client.api.retry(null);
    await expect(client.call(client.api.wipe([]))).rejects.toMatchObject({ code: 'disposed' });
  });
});
