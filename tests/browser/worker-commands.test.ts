import { expect, test } from 'vitest';
import { createWorkerCommands } from '../../src/client/dictation-controller.ts';
import type { Ask, WorkerConnection } from '../../src/client/worker-connection.ts';
import { DEFAULT_KEEPING } from '../../src/core/recordings/recording.ts';

test('deleting everything spares what this page had open when it was asked for', async () => {
  const spared: (readonly string[])[] = [];
  const api = { wipe: async (openIds: readonly string[]) => void spared.push(openIds) };
  const ask = (question: Ask<unknown>) => question(api as never);
  const connection = { ask } as unknown as WorkerConnection;
  const open = new Set(['recording']);
  const commands = createWorkerCommands(
    connection,
    { keeping: { ...DEFAULT_KEEPING, keepRecordings: 24 } },
    {
      openHere: () => open,
      // It ends while the places are let go, with its text in nobody's hands.
      letPlacesGo: async () => open.clear(),
      storage: undefined,
    },
  );
  await commands.wipe();
  // Others may be open in the tests' page.
  expect(spared).toEqual([expect.arrayContaining(['recording'])]);
});
