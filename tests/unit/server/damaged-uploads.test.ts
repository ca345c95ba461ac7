import { expect, test } from 'vitest';
import { createWorkerDecoder } from '../../../server/audio/worker-decoder.ts';
import { systemClock } from '../../../server/system-clock.ts';
import { FORGETFUL_ENGINE, fuzzServer } from '../../bench/server-fuzz-run.ts';
import { startServer } from '../../helpers/running-server.ts';

/** `npm run fuzz:server` sends ten thousand and more. */
test('150 damaged uploads are each read or refused, and the server goes on', async () => {
  const decoder = createWorkerDecoder({ clock: systemClock, timeLimitMs: 2_000 });
  const server = await startServer({
    engine: FORGETFUL_ENGINE,
    decoder,
    limits: { concurrency: 2, maxAudioMs: 60_000 },
  });
  const report = await fuzzServer(server, 150, 6);
  expect(report.faults).toEqual([]);
  expect(Object.keys(report.statuses)).toEqual(expect.arrayContaining(['200', '400', '422']));
  expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
  await server.close();
}, 60_000);
