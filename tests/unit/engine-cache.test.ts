import { expect, test } from 'vitest';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import { createEngineCache } from '../../workers/audio/engine-cache.ts';
import { createFakeSpeechEngine } from '../helpers/fake-speech-engine.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

const CHOICE = { engine: 'auto' } as const;

test('an engine that failed at work is told, let go, and followed by a new one that takes the notice away', async () => {
  const events: SnapshotEvent[] = [];
  const engines = [createFakeSpeechEngine(), createFakeSpeechEngine()];
  let loaded = 0;
  const cache = createEngineCache({
    load: async () => engines[loaded++]!,
    log: createRecordingLog(),
    dispatch: (event) => events.push(event),
  });
  expect(await cache.get(CHOICE)).toBe(engines[0]);
  expect(await cache.get(CHOICE)).toBe(engines[0]);
  events.length = 0;
  const error = { code: 'engine-failed', message: 'broken' } as const;
  cache.giveUp(error);
  expect(events).toEqual([
    { kind: 'engine-changed', engine: { kind: 'failed', error } },
    { kind: 'notice-raised', notice: 'engine-failed', error },
  ]);
  expect(await cache.get(CHOICE)).toBe(engines[1]);
  expect(engines[0]?.calls).toEqual(['dispose']);
  expect(events.at(-1)).toEqual({ kind: 'notice-cleared', notice: 'engine-failed' });
});

test('an older choice that fails late leaves the newer one alone', async () => {
  const events: SnapshotEvent[] = [];
  const engine = createFakeSpeechEngine();
  let failOlder = (_error: Error): void => {};
  let loaded = 0;
  const cache = createEngineCache({
    load: ({ engine: wanted }) => {
      loaded += 1;
      if (wanted === 'auto') return Promise.resolve(engine);
      return new Promise((_resolve, reject) => {
        failOlder = reject;
      });
    },
    log: createRecordingLog(),
    dispatch: (event) => events.push(event),
  });
  const older = cache.get({ engine: 'ort' });
  expect(await cache.get(CHOICE)).toBe(engine);
  failOlder(new Error('late'));
  expect(await older).toBeNull();
  expect(await cache.get(CHOICE)).toBe(engine);
  expect(loaded).toBe(2);
  // A cached engine is ready, and stays reported as such.
  expect(events.at(-2)).toEqual({
    kind: 'engine-changed',
    engine: { kind: 'ready', engine: 'ort' },
  });
});

test('an older choice that comes late says nothing of itself', async () => {
  const events: SnapshotEvent[] = [];
  let comeOlder = (): void => {};
  const cache = createEngineCache({
    load: ({ engine }) =>
      engine === 'auto'
        ? Promise.resolve(createFakeSpeechEngine('kernel'))
        : new Promise((resolve) => {
            comeOlder = () => resolve(createFakeSpeechEngine('ort'));
          }),
    log: createRecordingLog(),
    dispatch: (event) => events.push(event),
  });
  const older = cache.get({ engine: 'ort' });
  await cache.get(CHOICE);
  comeOlder();
  await older;
  expect(events).not.toContainEqual({
    kind: 'engine-changed',
    engine: { kind: 'ready', engine: 'ort' },
  });
});
