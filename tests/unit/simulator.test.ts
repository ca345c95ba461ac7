import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { runStory } from '../simulator/run-story.ts';
import { makeStory } from '../simulator/story.ts';
import { playStories } from '../simulator/threads.ts';

/** As many as two cores play in half a minute; more: `npm run simulate`. */
const STORIES = 2_000;

test('made stories end with every word delivered once or still offered', async () => {
  const failed: string[] = [];
  const { stories, words, faults } = await playStories(
    1,
    STORIES,
    availableParallelism(),
    ({ seed, wrongs }) => {
      failed.push(`npm run simulate -- --one ${seed}: ${wrongs.join('; ')}`);
    },
  );
  expect(failed).toEqual([]);
  expect(stories).toBe(STORIES);
  // That something happened at all.
  expect(words).toBeGreaterThan(10 * STORIES);
  expect(Object.keys(faults).length).toBeGreaterThan(25);
}, 300_000);

test('a seed tells the same story again', async () => {
  const [one, again] = [await runStory(makeStory(7)), await runStory(makeStory(7))];
  expect(again).toEqual(one);
});

test('what is spoken behind a recording whose worker hangs is not lost with that worker', async () => {
  const { wrongs, words } = await runStory({
    seed: 446,
    knowsAudio: true,
    chunkMs: 1_500,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'start', tab: 0, speech: 845_105_161, insertion: 'in', atMs: 1_850 },
      { kind: 'hang-worker', tab: 0, forMs: 11_450, atMs: 3_400 },
      { kind: 'stop', tab: 0, atMs: 4_030 },
      { kind: 'start', tab: 0, speech: 678_326_101, insertion: 'in', atMs: 7_370 },
      { kind: 'stop', tab: 0, atMs: 10_120 },
      { kind: 'stop-waiting', tab: 0, atMs: 12_330 },
      { kind: 'online', tab: 0, atMs: 14_100 },
    ],
  });
  expect(words).toBeGreaterThan(40);
  expect(wrongs).toEqual([]);
});

test('a journal that could not be removed is not cut anew by another tab', async () => {
  const { wrongs, words } = await runStory({
    seed: 3_247,
    knowsAudio: true,
    chunkMs: 2_000,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'open', tab: 1, atMs: 623 },
      { kind: 'start', tab: 0, speech: 778_210_939, insertion: 'refused', atMs: 919 },
      { kind: 'online', tab: 0, atMs: 2_314 },
      { kind: 'start', tab: 1, speech: 597_366_746, insertion: 'hangs', atMs: 2_472 },
      { kind: 'stop', tab: 1, atMs: 3_710 },
      { kind: 'store', store: 'journal', fault: 'refused', share: 1, forMs: 2_323, atMs: 5_751 },
      { kind: 'server', fault: 'unauthorised', forMs: 2_190, atMs: 5_900 },
      { kind: 'discard', tab: 1, atMs: 7_105 },
    ],
  });
  expect(words).toBeGreaterThan(20);
  expect(wrongs).toEqual([]);
});

test('what was split while the disk was full is not lost with its worker', async () => {
  const { wrongs, words } = await runStory({
    seed: 947,
    knowsAudio: true,
    chunkMs: 1_500,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'server', fault: 'too-large', forMs: 7_500, atMs: 0 },
      { kind: 'full-disk', roomBytes: 123_000, forMs: 8_000, atMs: 1_080 },
      { kind: 'start', tab: 0, speech: 646_471_886, insertion: 'in-late', atMs: 2_110 },
      { kind: 'stop', tab: 0, atMs: 2_860 },
      { kind: 'stop-waiting', tab: 0, atMs: 3_900 },
      { kind: 'kill-worker', tab: 0, atMs: 6_840 },
    ],
  });
  expect(words).toBeGreaterThan(20);
  expect(wrongs).toEqual([]);
});

test('what was not encoded and does not fit on the disk is not cut anew without its end', async () => {
  const { wrongs, words } = await runStory({
    seed: 51_288,
    knowsAudio: true,
    chunkMs: 1_000,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'broken', part: 'encoder', forMs: 4_920, atMs: 510 },
      { kind: 'start', tab: 0, speech: 142_495_675, insertion: 'in', atMs: 1_600 },
      { kind: 'open', tab: 1, atMs: 1_660 },
      { kind: 'full-disk', roomBytes: 0, forMs: 20_000, atMs: 3_500 },
      { kind: 'stop', tab: 0, atMs: 4_500 },
      { kind: 'visible', tab: 1, atMs: 18_000 },
    ],
  });
  expect(words).toBeGreaterThan(15);
  expect(wrongs).toEqual([]);
});

test('what was wiped while the store was away does not come again', async () => {
  const { wrongs, words } = await runStory({
    seed: 54_945,
    knowsAudio: true,
    chunkMs: 2_060,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'start', tab: 0, speech: 829_117_115, insertion: 'altered', atMs: 1_070 },
      { kind: 'store', store: 'queue', fault: 'refused', share: 1, forMs: 6_640, atMs: 2_800 },
      { kind: 'stop', tab: 0, atMs: 4_280 },
      { kind: 'wipe', tab: 0, atMs: 6_580 },
      { kind: 'take', tab: 0, insertion: 'refused', atMs: 10_200 },
    ],
  });
  expect(words).toBeGreaterThan(15);
  expect(wrongs).toEqual([]);
});

test('what another tab has cut in parts is accounted for where it was spoken', async () => {
  const { wrongs, words } = await runStory({
    seed: 53_503,
    knowsAudio: true,
    chunkMs: 3_000,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'server', fault: 'too-large', forMs: 16_900, atMs: 0 },
      { kind: 'server', fault: 'down', forMs: 8_720, atMs: 0 },
      { kind: 'open', tab: 2, atMs: 1_720 },
      { kind: 'start', tab: 2, speech: 711_333_872, insertion: 'in', atMs: 2_670 },
      { kind: 'stop', tab: 2, atMs: 3_580 },
      { kind: 'visible', tab: 0, atMs: 16_420 },
    ],
  });
  expect(words).toBeGreaterThan(10);
  expect(wrongs).toEqual([]);
});

test('a text that may not be all keeps its audio when the worker that gave it dies', async () => {
  const { wrongs, words } = await runStory({
    seed: 11_622,
    knowsAudio: false,
    chunkMs: 1_750,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'start', tab: 0, speech: 132_891_692, insertion: 'in-late', atMs: 760 },
      { kind: 'server', fault: 'incomplete', forMs: 3_830, atMs: 1_100 },
      { kind: 'stop', tab: 0, atMs: 2_710 },
      { kind: 'online', tab: 0, atMs: 3_330 },
      { kind: 'store', store: 'both', fault: 'refused', share: 1, forMs: 2_520, atMs: 3_970 },
      { kind: 'start', tab: 0, speech: 182_110_663, insertion: 'throws', atMs: 4_080 },
      { kind: 'kill-worker', tab: 0, atMs: 5_350 },
    ],
  });
  expect(words).toBeGreaterThan(30);
  expect(wrongs).toEqual([]);
});

test('a cut alone in the journal, its header never written, does not stay there', async () => {
  const fault = { kind: 'store', fault: 'aborted-late', share: 0.715_318_551, atMs: 580 } as const;
  const { wrongs, words } = await runStory({
    seed: 65_646,
    knowsAudio: false,
    chunkMs: 1_354,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { ...fault, store: 'journal', forMs: 11_880 },
      { kind: 'start', tab: 0, speech: 185_267_136, insertion: 'hangs', atMs: 667 },
      { kind: 'hidden', tab: 0, atMs: 2_802 },
      { kind: 'power-cut', atMs: 5_688 },
      { kind: 'open', tab: 0, atMs: 7_590 },
    ],
  });
  expect(words).toBeGreaterThan(10);
  expect(wrongs).toEqual([]);
});

test('a chunk thrown away while storage refuses leaves no failure that nobody handles', async () => {
  const { wrongs, words } = await runStory({
    seed: 100_487,
    knowsAudio: true,
    chunkMs: 2_000,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'start', tab: 0, speech: 688_315_599, insertion: 'throws', atMs: 3_170.2859 },
      { kind: 'stop', tab: 0, atMs: 4_176.1525 },
      {
        kind: 'store',
        store: 'both',
        fault: 'refused',
        share: 0.756_033_311,
        forMs: 2_157,
        atMs: 5_753,
      },
      { kind: 'discard', tab: 0, atMs: 7_464.9076 },
    ],
  });
  expect(words).toBeGreaterThan(5);
  expect(wrongs).toEqual([]);
});

test('a wipe that a hung worker does late spares what was being recorded when it was asked for', async () => {
  const { wrongs, words } = await runStory({
    seed: 106_333,
    knowsAudio: false,
    chunkMs: 3_511,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'start', tab: 0, speech: 617_152_164, insertion: 'in-late', atMs: 650.1741 },
      { kind: 'open', tab: 2, atMs: 1_534.3604 },
      { kind: 'hang-worker', tab: 2, forMs: 7_716.5164, atMs: 2_916.1574 },
      { kind: 'wipe', tab: 2, atMs: 4_669.7543 },
      { kind: 'close', tab: 0, atMs: 5_564.8801 },
    ],
  });
  expect(words).toBeGreaterThan(20);
  expect(wrongs).toEqual([]);
});

test('a chunk whose storing was told as failed and is split meanwhile is not stored twice', async () => {
  const { wrongs, words } = await runStory({
    seed: 106_318,
    knowsAudio: false,
    chunkMs: 2_467,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'start', tab: 0, speech: 47_255_519, insertion: 'in-late', atMs: 388.4069 },
      { kind: 'server', fault: 'too-large', forMs: 13_811.2251, atMs: 1_747.9228 },
      {
        kind: 'store',
        store: 'journal',
        fault: 'answer-lost',
        share: 1,
        forMs: 1_669.3716,
        atMs: 2_823.0982,
      },
      { kind: 'kill-browser', atMs: 3_500.2452 },
    ],
  });
  expect(words).toBeGreaterThan(15);
  expect(wrongs).toEqual([]);
});

test('a text that the page cut is not offered again by an older change that the store takes late', async () => {
  const { wrongs, words } = await runStory({
    seed: 201_389,
    knowsAudio: false,
    chunkMs: 2407,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      {
        kind: 'start',
        tab: 0,
        atMs: 280.200987868011,
        speech: 590_292_788,
        insertion: 'hangs',
      },
      {
        kind: 'store',
        store: 'both',
        fault: 'answer-lost',
        share: 0.601964191487059,
        forMs: 9_750.732276588678,
        atMs: 1_291.4548730575625,
      },
      { kind: 'power-cut', atMs: 2_188.842535520839 },
      { kind: 'open', tab: 0, atMs: 2_380.1562613238866 },
      { kind: 'stop', tab: 0, atMs: 2_710.6609529815614 },
      {
        kind: 'store',
        store: 'journal',
        fault: 'slow',
        share: 0.7157373616471887,
        forMs: 6_604.873633012176,
        atMs: 3_223.923026054814,
      },
      { kind: 'take', tab: 0, insertion: 'altered', atMs: 4_670.678193370474 },
    ],
  });
  expect(words).toBeGreaterThan(5);
  expect(wrongs).toEqual([]);
});

test('a live piece that a dead worker had in memory alone does not go in while the next one takes over', async () => {
  const live = { insert: 'at-pause', livePreview: true, pieces: ['in'] } as const;
  const { wrongs, words } = await runStory({
    seed: 301_764,
    knowsAudio: false,
    chunkMs: 1301,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      {
        kind: 'start',
        tab: 0,
        atMs: 662.0272018946707,
        speech: 437_223_601,
        insertion: 'refused',
        live,
      },
      {
        kind: 'store',
        store: 'queue',
        fault: 'refused',
        share: 1,
        forMs: 1_486.869604792446,
        atMs: 10_093.273084375878,
      },
      { kind: 'kill-worker', tab: 0, atMs: 11_792.337451298747 },
    ],
  });
  expect(words).toBeGreaterThan(50);
  expect(wrongs).toEqual([]);
});

test('a piece that stands in the page is not cut anew where no worker goes on for a while', async () => {
  const { wrongs, words } = await runStory({
    seed: 1_019_064,
    knowsAudio: false,
    chunkMs: 1_200,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      {
        kind: 'start',
        tab: 0,
        atMs: 1_807,
        speech: 487_942_690,
        insertion: 'refused',
        live: { insert: 'at-pause', livePreview: false, pieces: ['in', 'in', 'in-late', 'in'] },
      },
      { kind: 'kill-worker', tab: 0, atMs: 3_763 },
      { kind: 'kill-worker', tab: 0, atMs: 5_050 },
      { kind: 'kill-worker', tab: 0, atMs: 5_485 },
      { kind: 'kill-worker', tab: 0, atMs: 5_655 },
    ],
  });
  expect(words).toBeGreaterThan(10);
  expect(wrongs).toEqual([]);
});

test('a piece is in its recording, too, where another tab was told of it before the store', async () => {
  const { wrongs, words } = await runStory({
    seed: 1_009_192,
    knowsAudio: true,
    chunkMs: 2_000,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      {
        kind: 'start',
        tab: 0,
        atMs: 355,
        speech: 355_067_744,
        insertion: 'in',
        live: { insert: 'at-pause', livePreview: true, pieces: ['in', 'in', 'in'] },
      },
      { kind: 'open', tab: 1, atMs: 2_124 },
      { kind: 'kill-worker', tab: 0, atMs: 2_813.1 },
    ],
  });
  expect(words).toBeGreaterThan(10);
  expect(wrongs).toEqual([]);
});

test('what stands in the page is not offered again by a recovery that came too late for its end', async () => {
  const { wrongs, words } = await runStory({
    seed: 2_056_776,
    knowsAudio: true,
    chunkMs: 2_000,
    events: [
      { kind: 'open', tab: 0, atMs: 0 },
      { kind: 'start', tab: 0, speech: 655_339_024, insertion: 'in-late', atMs: 1_850 },
      { kind: 'full-disk', roomBytes: 60_000, forMs: 8_000, atMs: 1_900 },
      { kind: 'stop', tab: 0, atMs: 3_812 },
      {
        kind: 'store',
        store: 'journal',
        fault: 'aborted',
        share: 1,
        forMs: 3_000,
        atMs: 5_482,
      },
      { kind: 'kill-worker', tab: 0, atMs: 5_500 },
    ],
  });
  expect(words).toBeGreaterThan(10);
  expect(wrongs).toEqual([]);
});

// Several, since what happens between two tasks is a matter of chance.
test.each([21_008_885, 21_008_886, 21_008_887, 21_008_888])(
  'pieces that stand in the page are not put in again by a worker that cannot know (%d)',
  async (seed) => {
    const live = { insert: 'at-pause', livePreview: true } as const;
    const { wrongs, words } = await runStory({
      seed,
      knowsAudio: false,
      chunkMs: 1_029,
      events: [
        { kind: 'open', tab: 0, atMs: 0 },
        {
          kind: 'start',
          tab: 0,
          speech: 516_869_446,
          insertion: 'in',
          live: { ...live, pieces: ['in-late'] },
          atMs: 310.865_712_165_832_5,
        },
        { kind: 'stop', tab: 0, atMs: 2_057.952_063_018_456 },
        {
          kind: 'store',
          store: 'journal',
          fault: 'aborted-late',
          share: 1,
          forMs: 4_854.759_472_422_302,
          atMs: 4_074.499_020_311_495,
        },
        {
          kind: 'start',
          tab: 0,
          speech: 508_001_176,
          insertion: 'hangs',
          live: { ...live, pieces: ['in'] },
          atMs: 7_061.761_236_609_891,
        },
        {
          kind: 'store',
          store: 'journal',
          fault: 'hung',
          share: 1,
          forMs: 11_797.956_464_81,
          atMs: 7_263.166_107_912_481,
        },
        { kind: 'kill-worker', tab: 0, atMs: 9_527.817_589_862_703 },
      ],
    });
    expect(words).toBeGreaterThan(50);
    expect(wrongs).toEqual([]);
  },
);

test('a cancel and a stop close the microphone before any worker has begun', async () => {
  for (const kind of ['cancel', 'stop'] as const) {
    const { wrongs, words } = await runStory({
      seed: 910_271,
      knowsAudio: true,
      chunkMs: 2_000,
      events: [
        { kind: 'open', tab: 0, atMs: 0 },
        { kind: 'unloadable', tab: 0, isSaid: true, forMs: 30_000, atMs: 0 },
        { kind: 'start', tab: 0, speech: 146_341_044, insertion: 'in', atMs: 1_076 },
        { kind, tab: 0, atMs: 2_467 },
        { kind: 'online', tab: 0, atMs: 40_000 },
      ],
    });
    expect(words).toBeGreaterThan(5);
    expect(wrongs).toEqual([]);
  }
});

test('a worker that takes over has nothing taken out of the field', async () => {
  for (let nth = 3; nth < 9; nth += 1) {
    const { wrongs, words } = await runStory({
      ...makeStory(1_387),
      events: [
        { kind: 'open', tab: 0, atMs: 0 },
        {
          kind: 'start',
          tab: 0,
          speech: 550_253_994 + nth,
          insertion: 'in',
          live: { insert: 'at-pause', livePreview: true, pieces: ['altered', 'in', 'in', 'in'] },
          atMs: 4_976,
        },
        { kind: 'kill-worker', tab: 0, atMs: 7_781 + nth * 7 },
        { kind: 'stop', tab: 0, atMs: 9_781 },
      ],
    });
    expect(words).toBeGreaterThan(20);
    expect(wrongs).toEqual([]);
  }
});

test('a text is not brought to its place without what was said right before the next press', async () => {
  const { wrongs, words } = await runStory(makeStory(90_050));
  expect(words).toBeGreaterThan(40);
  expect(wrongs).toEqual([]);
});

test('a cancelled dictation that was had back is thrown away by no worker that had seen it so', async () => {
  const { wrongs, words } = await runStory(makeStory(75_083_901));
  expect(words).toBeGreaterThan(30);
  expect(wrongs).toEqual([]);
});
