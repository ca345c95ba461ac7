import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { browserClock } from '../../src/core/browser-clock.ts';
import { createIndexedDbJournal } from '../../workers/storage/indexed-db-journal.ts';
import { createDatabase } from '../../workers/storage/reopening-database.ts';
import { noiseFrame, testHeader } from './journal-session.ts';

/** Journals frames as they come from a microphone until it is terminated, and tells of each. */
self.onmessage = async ({ data }: MessageEvent<{ databaseName: string; sessionId: string }>) => {
  const { databaseName, sessionId } = data;
  const onFailure = (error: Error) => {
    throw error;
  };
  const database = createDatabase({ clock: browserClock, databaseName });
  const journal = createIndexedDbJournal({ database, clock: browserClock, onFailure });
  await journal.begin(testHeader(sessionId));
  let number = 0;
  setInterval(() => {
    journal.append(sessionId, number * FRAME_SAMPLES, noiseFrame(number));
    number += 1;
    self.postMessage(number);
  }, 96);
};
