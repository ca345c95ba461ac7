import { expect, test } from 'vitest';
import { DikteraError } from '../../src/core/errors.ts';
import type { SnapshotEvent } from '../../src/core/snapshot-events.ts';
import { createServerWatch } from '../../workers/server-watch.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

const READY = { status: 'ready', engine: 'e', model: 'm', languages: ['sv', 7] };
const HEALTHY = { kind: 'ready', engine: 'e', model: 'm', languages: ['sv'] };
const GONE = new DikteraError('http-timeout', 'Request timed out: GET http://x/api/health');

test('why a server is of no use is logged once, until it changes, and asking ends when it is ready', async () => {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const events: SnapshotEvent[] = [];
  const answers = [GONE, GONE, { status: 'failed' }, { status: 'loading' }, GONE, READY];
  const watch = createServerWatch({
    fetchHealth: async () => {
      const answer = answers.shift();
      if (answer === GONE) throw answer;
      return answer;
    },
    clock,
    log,
    dispatch: (event) => events.push(event),
  });
  watch.ask();
  await clock.advance(300_000);
  const words = 'The transcription server is of no use now';
  expect(log.lines).toEqual([
    ['warn', words, GONE.message],
    ['warn', words, 'The server is not ready: failed'],
    ['warn', words, GONE.message],
  ]);
  expect(answers).toEqual([]);
  const engines = [{ model: 'm', languages: ['sv'] }];
  expect(events.at(-1)).toEqual({ kind: 'server-changed', server: { ...HEALTHY, engines } });
  expect(clock.waits()).toEqual([]);
});

test('the engines that are ready are told, each with its languages', async () => {
  const events: SnapshotEvent[] = [];
  const engines = [
    { engine: 'openai', model: 'kb-whisper', languages: ['sv'], status: 'ready' },
    { engine: 'moonshine', model: 'tiny', languages: ['en'], status: 'loading' },
    null,
  ];
  const watch = createServerWatch({
    fetchHealth: async () => ({ ...READY, engines }),
    clock: createFakeClock(),
    log: createRecordingLog(),
    dispatch: (event) => events.push(event),
  });
  watch.ask();
  await expect
    .poll(() => events)
    .toEqual([
      {
        kind: 'server-changed',
        server: { ...HEALTHY, engines: [{ model: 'kb-whisper', languages: ['sv'] }] },
      },
    ]);
});
