import { expect, test } from 'vitest';
import { createCaptureReports } from '../../src/client/capture-reports.ts';
import type { WorkerConnection } from '../../src/client/worker-connection.ts';
import type { CaptureChange } from '../../src/core/contracts/capture-port.ts';
import type { WorkerParts } from '../../workers/assemble-worker.ts';
import { createDictationWorker } from '../../workers/dictation-worker.ts';
import { createSnapshotPublisher } from '../../workers/snapshot-publisher.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

/** The page's reports of its microphone, up to the worker's snapshot. */
function setUp() {
  const clock = createFakeClock();
  const publisher = createSnapshotPublisher(clock);
  const log = createRecordingLog();
  const api = createDictationWorker({
    publisher,
    clock,
    log,
    holdLock: async () => {},
    parts: {} as WorkerParts,
  });
  const connection = {
    tell: (command: (api: unknown) => Promise<void>) => void command(api),
  } as unknown as WorkerConnection;
  const reports = createCaptureReports({ connection, log });
  return {
    log,
    tell: (...changes: readonly CaptureChange[]) => changes.forEach(reports.changed),
    notices: () =>
      publisher.snapshot.notices.map(({ kind, durationMs }) =>
        durationMs === undefined ? kind : [kind, durationMs],
      ),
  };
}

test('nothing is heard, and then it is: the alarm goes, and what stays says for how long', () => {
  const { tell, notices } = setUp();
  tell({ kind: 'stalled' });
  expect(notices()).toEqual(['capture-stalled']);
  tell({ kind: 'flowing', unheardMs: 12_300 });
  expect(notices()).toEqual([['capture-gap', 12_300]]);
});

test('a false alarm leaves nothing', () => {
  const { tell, notices } = setUp();
  tell({ kind: 'stalled' }, { kind: 'flowing', unheardMs: 0 });
  expect(notices()).toEqual([]);
});

test('a computer that slept, with an alarm or without', () => {
  for (const before of [[], [{ kind: 'stalled' }]] as const) {
    const { tell, notices } = setUp();
    tell(...before, { kind: 'slept', unheardMs: 600_000 });
    expect(notices()).toEqual([['capture-slept', 600_000]]);
  }
});

test('a microphone that is away is told until another one has come', () => {
  const { tell, notices } = setUp();
  tell({ kind: 'away', isAway: true });
  expect(notices()).toEqual(['microphone-away']);
  tell({ kind: 'away', isAway: false });
  tell({ kind: 'switched', device: { deviceId: 'two', label: 'Two' } });
  expect(notices()).toEqual(['microphone-switched']);
});

test('a tab that is shared no longer is told', () => {
  const { tell, notices } = setUp();
  tell({ kind: 'tab-sound-ended' });
  expect(notices()).toEqual(['tab-sound-ended']);
});
