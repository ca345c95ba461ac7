import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { describeQueueStore } from '../helpers/queue-store-contract.ts';
import { createTestDatabase, createTestStores } from '../helpers/test-database.ts';

describeQueueStore('the store in IndexedDB', () => createTestStores(createTestDatabase()).store);

describeQueueStore('the store in memory, in a browser', createMemoryQueueStore);
