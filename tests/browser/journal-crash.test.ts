import { expect, onTestFinished, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createJournal } from '../../workers/store/journal.ts';
import { outline, testHeader } from '../helpers/journal-session.ts';
import { createTestDatabase, testDatabase } from '../helpers/test-database.ts';

/** The time for which frames are gathered before they are written. */
const GATHERED_MS = 120;

/**
 * Journals in a worker for a while; answers when each frame was appended, when the worker died, and
 * how long a write took at most.
 */
async function dieAfter(lifeMs: number, databaseName: string, dictationId: string) {
  const worker = new Worker(new URL('../helpers/journal-writer.worker.ts', import.meta.url), {
    type: 'module',
  });
  const appendedAtMs: number[] = [];
  let slowestWriteMs = 0;
  await new Promise((resolve, reject) => {
    worker.onerror = reject;
    worker.onmessage = ({ data }: MessageEvent<number>) => {
      slowestWriteMs = data;
      appendedAtMs.push(performance.now());
      if (appendedAtMs.length === 1) setTimeout(resolve, lifeMs);
    };
    worker.postMessage({ databaseName, dictationId });
  });
  worker.terminate();
  return { appendedAtMs, diedAtMs: performance.now(), slowestWriteMs };
}

test.each([700, 733, 781])(
  'a worker killed after %i ms leaves all but its last 200 ms, or more where the disk is slow',
  async (lifeMs) => {
    const databaseName = testDatabase();
    const { appendedAtMs, diedAtMs, slowestWriteMs } = await dieAfter(lifeMs, databaseName, 's');
    // Frames that wait for a write under way go into the next one.
    const lostMs = Math.max(200, GATHERED_MS + 2 * slowestWriteMs);
    const due = appendedAtMs.filter((atMs) => atMs <= diedAtMs - lostMs).length;
    expect(due).toBeGreaterThan(0);

    const onFailure = (error: Error) => {
      throw error;
    };
    const journal = createJournal({
      database: createTestDatabase(databaseName),
      clock: browserClock,
      onFailure,
    });
    onTestFinished(() => journal.dispose());
    expect(await journal.list()).toEqual([testHeader('s')]);
    const recording = await journal.read('s');
    expect(outline(recording?.parts)).toEqual([[0, expect.any(Number)]]);
    const [part] = recording?.parts ?? [];
    expect(part?.kind === 'audio' && part.pcm.length).toBeGreaterThanOrEqual(due * FRAME_SAMPLES);
  },
);
