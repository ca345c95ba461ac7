import { expect, test } from 'vitest';
import type { Supervisor } from '../../src/client/supervisor.ts';
import type { WorkerClient } from '../../src/client/worker-client.ts';
import { createWorkerCommands } from '../../src/client/worker-commands.ts';
import { DEFAULT_KEEPING } from '../../src/core/recordings/keeping.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

test('deleting everything spares what this page had open when it was asked for', async () => {
  const spared: (readonly string[])[] = [];
  const api = { wipe: async (openIds: readonly string[]) => void spared.push(openIds) };
  const worker = { api, call: (answer: Promise<unknown>) => answer } as unknown as WorkerClient;
  const supervisor = { worker: () => worker } as Supervisor;
  const open = new Set(['recording']);
  const commands = createWorkerCommands(
    supervisor,
    { keeping: { ...DEFAULT_KEEPING, keepRecordings: 24 } },
    {
      openHere: () => open,
      // It ends while the places are let go, with its text in nobody's hands.
      letPlacesGo: async () => open.clear(),
      storage: undefined,
      log: createRecordingLog(),
    },
  );
  await commands.wipe();
  // Others may be open in the tests' page.
  expect(spared).toEqual([expect.arrayContaining(['recording'])]);
});
