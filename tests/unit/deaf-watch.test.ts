import { expect, test } from 'vitest';
import { type DeafWatchPorts, watchDeafness } from '../../src/capture/liveness.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

/** A microphone that the system may mute, in a page that may be hidden. */
function setUp(renew: (isStillWanted: () => boolean) => Promise<boolean> = async () => true) {
  const clock = createFakeClock();
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const startMs = clock.nowMs();
  /** When it was opened anew, in seconds. */
  const renewed: number[] = [];
  const state = { isMuted: false };
  const watch = watchDeafness({
    clock,
    page: page as unknown as DeafWatchPorts['page'],
    isMuted: () => state.isMuted,
    renew(isStillWanted) {
      renewed.push(Math.round((clock.nowMs() - startMs) / 1_000));
      return renew(isStillWanted);
    },
  });
  async function hear(seconds: number, isSilent: boolean): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      await clock.advance(1_000);
      watch.heard(isSilent);
    }
  }
  function show(visibilityState: DocumentVisibilityState): void {
    page.visibilityState = visibilityState;
    page.dispatchEvent(new Event('visibilitychange'));
  }
  return { clock, watch, renewed, state, hear, show };
}

test('a microphone that is still muted after a call is opened anew after a moment of grace', async () => {
  const { watch, renewed, state, hear } = setUp();
  state.isMuted = true;
  watch.givenBack();
  await hear(2, true);
  state.isMuted = false;
  await hear(600, false);
  expect(renewed).toEqual([1]);
});

test('one that is live and full of zeros, after two seconds of them', async () => {
  const { watch, renewed, hear } = setUp();
  watch.givenBack();
  await hear(4, true);
  await hear(600, false);
  await hear(600, true);
  expect(renewed).toEqual([3]);
});

test('as long as nothing helps, ever more rarely', async () => {
  const { watch, renewed, hear } = setUp();
  watch.givenBack();
  await hear(600, true);
  expect(renewed).toEqual([3, 13, 33, 73, 153, 313]);
});

test('a refusal is the last word, until the next call', async () => {
  const { watch, renewed, hear } = setUp(async () => false);
  watch.givenBack();
  await hear(600, true);
  expect(renewed).toEqual([3]);
  watch.givenBack();
  await hear(600, true);
  expect(renewed).toEqual([3, 603]);
});

test('while a prompt is open there is no other one, also after another call', async () => {
  const { watch, renewed, hear } = setUp(() => new Promise(() => {}));
  watch.givenBack();
  await hear(100, true);
  watch.givenBack();
  await hear(500, true);
  expect(renewed).toEqual([3]);
});

test('one that hears again before the new one is there is kept', async () => {
  const asked: (() => boolean)[] = [];
  const { watch, hear } = setUp(async (isStillWanted) => {
    asked.push(isStillWanted);
    await new Promise(() => {});
    return true;
  });
  watch.givenBack();
  await hear(3, true);
  expect(asked[0]?.()).toBe(true);
  await hear(1, false);
  expect(asked[0]?.()).toBe(false);
});

test('a page that is shown again with a muted microphone: the same', async () => {
  const { renewed, state, hear, show } = setUp();
  show('hidden');
  state.isMuted = true;
  await hear(60, true);
  show('visible');
  await hear(2, true);
  expect(renewed).toEqual([61]);
});

test('one that hears, a quiet room, a mute button, a hidden page: nothing is opened', async () => {
  const { watch, renewed, state, hear, show } = setUp();
  await hear(60, true);
  state.isMuted = true;
  await hear(60, true);
  state.isMuted = false;
  show('hidden');
  await hear(60, true);
  show('visible');
  await hear(60, true);
  watch.givenBack();
  await hear(5, false);
  await hear(60, true);
  expect(renewed).toEqual([]);
});

test('after the end nothing is opened', async () => {
  const { clock, watch, renewed, state, show } = setUp();
  state.isMuted = true;
  watch.givenBack();
  watch.end();
  show('visible');
  await clock.advance(60_000);
  expect(renewed).toEqual([]);
  expect(clock.waits()).toEqual([]);
});
