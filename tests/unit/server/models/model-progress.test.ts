import { expect, test } from 'vitest';
import { type ModelProgress, progressText } from '../../../../server/models/local-engine.ts';

const TOLD: readonly (readonly [ModelProgress, string])[] = [
  [{ kind: 'absent' }, 'not here'],
  [{ kind: 'fetching', doneBytes: 330e6 }, 'being fetched, 47 % done (660 MB)'],
  [{ kind: 'paused', doneBytes: 330e6 }, 'paused, 47 % done'],
  [{ kind: 'converting' }, 'being made ready, 96 % done'],
  [{ kind: 'trying' }, 'being tried, 98 % done'],
  [{ kind: 'ready' }, 'ready'],
  [
    { kind: 'failed', fault: 'disk-full', reason: 'the disk is full' },
    'could not be made ready: the disk is full',
  ],
  [{ kind: 'quarantined', fault: 'unusable', reason: 'it ended' }, 'put aside: it ended'],
];

test.each(TOLD)('%j', (progress, text) => {
  expect(progressText(progress, 660e6)).toBe(text);
});
