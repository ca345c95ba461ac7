import { expect, test } from 'vitest';
import { isLeavingRisky } from '../../src/client/page-life.ts';
import {
  INITIAL_SNAPSHOT,
  type SessionPhase,
  type Snapshot,
} from '../../src/core/session/snapshot.ts';

function inPhase(phase: SessionPhase, id: string | null = 's'): Snapshot {
  return { ...INITIAL_SNAPSHOT, session: { ...INITIAL_SNAPSHOT.session, id, phase } };
}

test('leaving is risky while somebody is recorded, and not while only answers are awaited', () => {
  const phases = [
    'idle',
    'starting',
    'recording',
    'paused',
    'finishing',
    'transcribing',
    'stopped',
  ];
  const risky = phases.filter((phase) => isLeavingRisky(inPhase(phase as SessionPhase)));
  expect(risky).toEqual(['recording', 'paused', 'finishing']);
});

test('leaving is risky while something is in memory alone', () => {
  const { queue } = INITIAL_SNAPSHOT;
  expect(isLeavingRisky({ ...inPhase('idle', null), queue: { ...queue, unstoredItems: 1 } })).toBe(
    true,
  );
  const notices = [{ kind: 'storage-failed', error: null }] as const;
  expect(isLeavingRisky({ ...inPhase('transcribing'), notices })).toBe(true);
  expect(isLeavingRisky({ ...inPhase('idle', null), notices })).toBe(false);
});
