import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createDatabase } from '../../workers/store/database.ts';
import { createJournal } from '../../workers/store/journal.ts';
import { noiseFrame, testHeader } from './journal-session.ts';

/** Since when each write is under way, and how long the slowest has taken. */
const begunAtMs = new Set<number>();
let slowestMs = 0;

const begin = IDBDatabase.prototype.transaction;
IDBDatabase.prototype.transaction = function (...args) {
  const transaction = begin.apply(this, args);
  if (transaction.mode !== 'readwrite') return transaction;
  const atMs = performance.now();
  begunAtMs.add(atMs);
  transaction.addEventListener('complete', () => {
    begunAtMs.delete(atMs);
    slowestMs = Math.max(slowestMs, performance.now() - atMs);
  });
  return transaction;
};

const slowestWriteMs = (): number =>
  Math.max(slowestMs, ...[...begunAtMs].map((atMs) => performance.now() - atMs));

/** Journals frames as they come from a microphone until it is terminated; tells after each how long
 * a write took at most, in ms. */
self.onmessage = async ({ data }: MessageEvent<{ databaseName: string; dictationId: string }>) => {
  const { databaseName, dictationId } = data;
  const onFailure = (error: Error) => {
    throw error;
  };
  const database = createDatabase({ clock: browserClock, databaseName });
  const journal = createJournal({ database, clock: browserClock, onFailure });
  await journal.begin(testHeader(dictationId));
  // The first of all makes the database, too.
  slowestMs = 0;
  let number = 0;
  setInterval(() => {
    journal.append(dictationId, number * FRAME_SAMPLES, noiseFrame(number));
    number += 1;
    self.postMessage(slowestWriteMs());
  }, 96);
};
