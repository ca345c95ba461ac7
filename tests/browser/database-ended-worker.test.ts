import { expect, test } from 'vitest';
import { createTestDatabase, testDatabase } from '../helpers/test-database.ts';

/** Of 100 ends with two transactions under way, WebKitGTK never let go of four to sixteen. */
const ENDS = 80;
const LONGEST_LIFE_MS = 15;

async function endInTheMiddle(databaseName: string, lifeMs: number): Promise<void> {
  const worker = new Worker(new URL('../helpers/busy-database.worker.ts', import.meta.url), {
    type: 'module',
  });
  await new Promise((resolve, reject) => {
    worker.onerror = reject;
    worker.onmessage = resolve;
    worker.postMessage(databaseName);
  });
  await new Promise((resolve) => setTimeout(resolve, lifeMs));
  worker.terminate();
}

test('a worker may end in the middle of whatever it reads and writes: the database works on', {
  timeout: 120_000,
}, async () => {
  const databaseName = testDatabase();
  const database = createTestDatabase(databaseName);
  for (let end = 0; end < ENDS; end += 1) {
    await endInTheMiddle(databaseName, (LONGEST_LIFE_MS * end) / ENDS);
    await database.write(['audio', 'chunks'], 'relaxed', (audio) => void audio.count());
  }
  expect(await database.read(['chunks'], (chunks) => chunks.name)).toBe('chunks');
});
