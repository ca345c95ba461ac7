import { spokenAgain } from '../helpers/hostile-mp4.ts';
import { fixture } from '../helpers/running-server.ts';
import type { Attack } from './attack.ts';

const SPEAKERS = 8;

/** Finding 7. */
export const pageUnderLoad: Attack = {
  name: 'eight long recordings at once, while somebody opens the page',
  on: 'elsewhere',
  lane: 'load',
  async run(field) {
    const { url } = field.target.server;
    // Seconds of engine time for each, several pieces long.
    const file = await spokenAgain(fixture('speech-en.mp4'), field.isShort ? 6 : 60);
    let ended = 0;
    const recordings = Array.from({ length: SPEAKERS }, async (_, from) => {
      const outcome = await field.post({ file, from });
      ended++;
      if (outcome.kind !== 'answered' || outcome.status !== 200) field.fault('a recording failed');
    });
    await isBusy(url);
    const pages = field.isShort ? 10 : 40;
    const headers = field.target.headers(field.address());
    const timesMs: number[] = [];
    for (let page = 0; page < pages; page++) {
      const startedMs = performance.now();
      const { status } = await fetch(`${url}/`, { headers });
      timesMs.push(performance.now() - startedMs);
      if (status !== 200) field.fault(`the page got ${status}`);
    }
    field.figure('ms for the slowest page', Math.round(Math.max(...timesMs)));
    field.figure('recordings ended before the last page', ended);
    if (ended > SPEAKERS / 2) field.fault(`${pages} pages took as long as ${ended} recordings`);
    await Promise.all(recordings);
  },
};

/** Fulfilled when all places are taken. */
async function isBusy(url: string): Promise<void> {
  for (let look = 0; look < 500; look++) {
    const { queue } = (await (await fetch(`${url}/api/health`)).json()) as {
      queue: { running: number };
    };
    if (queue.running >= SPEAKERS) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the places were never taken');
}
