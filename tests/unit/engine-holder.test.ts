import { expect, test } from 'vitest';
import type { SnapshotEvent } from '../../src/core/session/snapshot-events.ts';
import { createEngineHolder } from '../../workers/engine-holder.ts';
import { createFakeJudge } from '../helpers/fake-judge.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

const CHOICE = { model: 'v6', engine: 'auto' } as const;

test('a judge that failed at work is told, let go, and followed by a new one that takes the notice away', async () => {
  const events: SnapshotEvent[] = [];
  const judges = [createFakeJudge('v6'), createFakeJudge('v6')];
  let loaded = 0;
  const holder = createEngineHolder({
    load: async () => judges[loaded++]!,
    log: createRecordingLog(),
    dispatch: (event) => events.push(event),
  });
  expect(await holder.get(CHOICE)).toBe(judges[0]);
  expect(await holder.get(CHOICE)).toBe(judges[0]);
  events.length = 0;
  const error = { code: 'engine-failed', message: 'broken' } as const;
  holder.giveUp(error);
  expect(events).toEqual([
    { kind: 'engine-changed', engine: { kind: 'failed', error } },
    { kind: 'notice-raised', notice: 'engine-failed', error },
  ]);
  expect(await holder.get(CHOICE)).toBe(judges[1]);
  expect(judges[0]?.calls).toEqual(['dispose']);
  expect(events.at(-1)).toEqual({ kind: 'notice-cleared', notice: 'engine-failed' });
});
