import { browserClock } from '../../src/platform/browser-clock.ts';
import { createDatabase } from '../../workers/store/database.ts';

/** Reads and writes without a pause, as two who know nothing of each other, until it is terminated. */
self.onmessage = async ({ data: databaseName }: MessageEvent<string>) => {
  const database = createDatabase({ clock: browserClock, databaseName });
  const bytes = new Uint8Array(20_000);
  const write = () =>
    database.write(['chunks'], 'relaxed', (chunks) => void chunks.put(bytes, ['busy', 1]));
  const read = () => database.read(['audio'], (audio) => void audio.count());
  for (const turn of [write, read]) {
    void (async () => {
      for (;;) await turn();
    })();
  }
  await write();
  self.postMessage(null);
};
