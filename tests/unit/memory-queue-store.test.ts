import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { describeQueueStore } from '../helpers/queue-store-contract.ts';

describeQueueStore('the store in memory', createMemoryQueueStore);
