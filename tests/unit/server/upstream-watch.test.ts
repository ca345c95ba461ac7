import { expect, test } from 'vitest';
import { ApiError } from '../../../server/core/api-error.ts';
import { createUpstreamWatch, type ProbeResult } from '../../../server/engine/upstream-watch.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';

/** A watch over a server that is as `seen` says, and how often it has been looked for. */
function setUp() {
  const clock = createFakeClock();
  const seen: { state: ProbeResult; looks: number } = { state: { kind: 'loading' }, looks: 0 };
  const probe = async () => {
    seen.looks += 1;
    return seen.state;
  };
  return { clock, seen, watch: createUpstreamWatch(probe, clock) };
}

test('looks every two seconds until the server is ready', async () => {
  const { clock, seen, watch } = setUp();
  await watch.start();
  await clock.advance(4_000);
  expect(seen.looks).toBe(3);
  seen.state = { kind: 'ready' };
  await clock.advance(20_000);
  expect(seen.looks).toBe(4);
});

test('ended, it looks no more', async () => {
  const { clock, seen, watch } = setUp();
  await watch.start();
  watch.end();
  await clock.advance(20_000);
  expect(seen.looks).toBe(1);
});

test('ended while it looks, it does not look again', async () => {
  const { clock, seen, watch } = setUp();
  const looking = watch.start();
  watch.end();
  await looking;
  await clock.advance(20_000);
  expect(seen.looks).toBe(1);
});

test('ended, it does not look for a server that has failed', async () => {
  const { seen, watch } = setUp();
  seen.state = { kind: 'ready' };
  await watch.start();
  watch.end();
  watch.note(new ApiError(503, 'engine_unreachable', 'gone'));
  expect(seen.looks).toBe(1);
});
