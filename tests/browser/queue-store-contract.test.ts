import { onTestFinished } from 'vitest';
import { browserClock } from '../../src/core/browser-clock.ts';
import { createIndexedDbQueueStore } from '../../workers/storage/indexed-db-queue-store.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { describeQueueStore } from '../helpers/queue-store-contract.ts';
import { testDatabase } from '../helpers/test-database.ts';

describeQueueStore('the store in IndexedDB', () => {
  const store = createIndexedDbQueueStore({ clock: browserClock, databaseName: testDatabase() });
  onTestFinished(() => store.dispose());
  return store;
});

describeQueueStore('the store in memory, in a browser', createMemoryQueueStore);
