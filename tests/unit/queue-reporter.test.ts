import { describe, expect, it } from 'vitest';
import type { ChunkState } from '../../src/core/queue/queue-item.ts';
import { INITIAL_SNAPSHOT, type SnapshotEvent } from '../../src/core/session/snapshot.ts';
import { createQueueReporter } from '../../workers/snapshot-publisher.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const ERROR = { code: 'http-status', message: 'POST /: 500' } as const;
const FAILED: ChunkState = { kind: 'pending', nextAttemptAtMs: 0, lastError: ERROR };
const FRESH: ChunkState = { kind: 'pending', nextAttemptAtMs: 0, lastError: null };
const PARKED: ChunkState = { kind: 'refused', error: ERROR };

function report(...steps: readonly (readonly [states: readonly ChunkState[], boolean?])[]) {
  const events: SnapshotEvent[] = [];
  const reporter = createQueueReporter((event) => events.push(event));
  for (const [states, isUnauthorised = false] of steps) {
    const items = states.map((state, number) => makeQueueItem({ number, state }));
    reporter.onChange({ ...INITIAL_SNAPSHOT.queue, items, isUnauthorised });
  }
  return events.flatMap((event) => ('notice' in event ? [`${event.kind} ${event.notice}`] : []));
}

describe('the queue’s notices', () => {
  it('come once and go with their cause', () => {
    expect(report([[FRESH]], [[FAILED]], [[FAILED, FRESH]], [[FRESH]], [[]])).toEqual([
      'notice-raised upload-failed',
      'notice-cleared upload-failed',
    ]);
    expect(report([[FAILED]], [[FAILED], true], [[FRESH]])).toEqual([
      'notice-raised upload-failed',
      'notice-cleared upload-failed',
      'notice-raised uploads-unauthorised',
      'notice-cleared uploads-unauthorised',
    ]);
    expect(report([[PARKED]], [[PARKED, FRESH]], [[FRESH]])).toEqual([
      'notice-raised chunk-refused',
      'notice-cleared chunk-refused',
    ]);
  });

  it('stand beside the queue itself, and tell of storage', () => {
    const events: SnapshotEvent[] = [];
    const reporter = createQueueReporter((event) => events.push(event));
    const { queue } = INITIAL_SNAPSHOT;
    reporter.onChange(queue);
    reporter.onStorage({ code: 'storage-failed', message: 'full' });
    reporter.onStorage(null);
    expect(events).toEqual([
      { kind: 'queue-changed', queue },
      {
        kind: 'notice-raised',
        notice: 'storage-failed',
        error: { code: 'storage-failed', message: 'full' },
      },
      { kind: 'notice-cleared', notice: 'storage-failed' },
    ]);
  });
});
