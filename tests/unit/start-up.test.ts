import { beforeEach, describe, expect, test, vi } from 'vitest';
import { startUp, type WorkerParts } from '../../workers/assemble-worker.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

const CHOICE = { engine: 'auto' } as const;

let clock = createFakeClock();
const ask = vi.fn();
const start = vi.fn();
const recover = vi.fn(async (onLooked: () => void) => onLooked());
const chooseType = vi.fn(async () => 'audio/wav' as const);
const proveFiles = vi.fn(async () => {});
const lookAtRecordings = vi.fn(async () => {});
const errands = [ask, start, recover, lookAtRecordings, chooseType];

function begin(engine: Promise<null>): Promise<void> {
  const parts = {
    engines: { get: () => engine },
    server: { ask },
    queue: { start, recovered: () => {} },
    recovery: { watch: recover },
    recordings: { look: lookAtRecordings },
    encoder: { chooseType, proveFiles },
    claimUnowned: async () => {},
  } as unknown as WorkerParts;
  return startUp(parts, CHOICE, { clock });
}

beforeEach(() => {
  clock = createFakeClock();
  for (const errand of [...errands, proveFiles]) errand.mockClear();
});

describe("a new worker's errands", () => {
  test('wait until the press that started it has its first frame', async () => {
    void begin(Promise.resolve(null));
    await clock.advance(249);
    for (const errand of errands) expect(errand).not.toHaveBeenCalled();
    await clock.advance(1);
    for (const errand of errands) expect(errand).toHaveBeenCalledTimes(1);
  });

  test('end with what files are made with, when a press as soon as the page was there has its first frame', async () => {
    void begin(Promise.resolve(null));
    await clock.advance(2_249);
    expect(proveFiles).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(proveFiles).toHaveBeenCalledTimes(1);
  });

  test('do not wait for an engine that never loads', async () => {
    void begin(new Promise(() => {}));
    await clock.advance(1_250);
    for (const errand of errands) expect(errand).toHaveBeenCalledTimes(1);
  });
});
