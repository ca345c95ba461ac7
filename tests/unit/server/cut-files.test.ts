import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORGETFUL_ENGINE } from '../../helpers/fake-engine.ts';
import {
  element,
  muxed,
  type OpusSpeech,
  opusSpeech,
  packetEnds,
  type WebmForm,
  webmFile,
} from '../../helpers/opus-files.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';

const PACKET_MS = 20;
const PRE_SKIP_MS = 6.5;
const SECOND = 50;
/** Two and a half clusters of a second. */
const SPEECH = 125;

let server: RunningServer;
let speech: OpusSpeech;
beforeAll(async () => {
  server = await startServer({ engine: FORGETFUL_ENGINE });
  speech = await opusSpeech(SPEECH);
});
afterAll(() => server.close());

const post = async (file: Uint8Array) => {
  const { status, body } = await postSpeech(server, speechForm(file, {}, 'a'));
  return { status, durationMs: body.durationMs ?? 0, complete: body.complete };
};
const lengthMs = (packets: number) => Math.max(0, packets * PACKET_MS - PRE_SKIP_MS);

/** How browsers and others write WebM; `isStream`: nothing tells that another packet was to come. */
const WEBM: readonly (readonly [string, WebmForm])[] = [
  ["Chrome's recorder, one cluster", form({ segmentUnknown: 8, clusterUnknown: 8 })],
  [
    "Chrome's recorder in slices",
    form({ segmentUnknown: 8, clusterUnknown: 8, packetsPerCluster: SECOND }),
  ],
  ["Firefox's recorder", form({ segmentUnknown: 8, packetsPerCluster: SECOND })],
  ['a file that can be sought in', form({ packetsPerCluster: SECOND, trailer: cues() })],
  ['one with groups of blocks', form({ packetsPerCluster: SECOND, blocks: 'group' })],
  ...[1, 2, 7].map((width): [string, WebmForm] => [
    `one whose unknown sizes have ${width} bytes`,
    form({ segmentUnknown: width, clusterUnknown: width, packetsPerCluster: SECOND }),
  ]),
];

function form(over: Partial<WebmForm>): WebmForm {
  const known = { segmentUnknown: null, clusterUnknown: null };
  return { ...known, packetsPerCluster: 10_000, blocks: 'simple', ...over };
}

/** An index, which nobody needs. */
function cues(): Uint8Array {
  return element(0x1c53bb6b, element(0xbb, element(0xb3, [0]), element(0xb7, element(0xf7, [1]))));
}

/** Places all over the file and at the heads of its parts, in order. */
function cutsOf(file: Uint8Array, ends: readonly number[], count: number): readonly number[] {
  const random = seededRandom(7);
  const anywhere = Array.from(
    { length: count },
    () => 1 + Math.floor(random() * (file.length - 1)),
  );
  const edges = [0, SECOND - 1, ends.length - 1].flatMap((at) =>
    [-1, 0, 1, 9].map((by) => (ends[at] ?? 0) + by),
  );
  return [...new Set([...anywhere, ...edges])]
    .filter((cut) => cut > 0 && cut < file.length)
    .sort((a, b) => a - b);
}

/** Cuts a file at many places; each packet that is whole is to be heard. */
async function cutAll(file: Uint8Array, of: OpusSpeech, isStream: boolean, count = 10) {
  const ends = packetEnds(file, of);
  let before = 0;
  for (const cut of cutsOf(file, ends, count)) {
    const answer = await post(file.slice(0, cut));
    const whole = ends.filter((end) => end <= cut).length;
    const said = { cut, ...answer };
    if (lengthMs(whole) > 0) {
      expect(said).toMatchObject({ status: 200 });
      expect(Math.abs(answer.durationMs - lengthMs(whole)), JSON.stringify(said)).toBeLessThan(2);
      // Cut between two packets a stream is a shorter stream.
      const mayBeWhole = isStream && (ends.includes(cut) || whole === ends.length);
      if (!mayBeWhole) expect(said).toMatchObject({ complete: false });
    }
    expect(answer.durationMs).toBeGreaterThanOrEqual(before);
    before = answer.durationMs;
  }
}

describe('WebM', () => {
  test.each(WEBM)('%s: whole it is complete, whatever its length', async (_, of) => {
    for (const count of [1, 20, 50, 51, SPEECH]) {
      const part = { ...speech, packets: speech.packets.slice(0, count) };
      const answer = await post(webmFile(part, of));
      expect(answer).toMatchObject({ status: 200, complete: true });
      expect(Math.abs(answer.durationMs - lengthMs(count))).toBeLessThan(2);
    }
  });

  test.each(WEBM)('%s: cut anywhere all is heard that is there', async (_, of) => {
    await cutAll(webmFile(speech, of), speech, of.segmentUnknown !== null);
  });

  test('of a few hundred bytes, cut anywhere', async () => {
    const short = await opusSpeech(20);
    for (const [, of] of WEBM.slice(1, 3)) {
      await cutAll(webmFile(short, of), short, of.segmentUnknown !== null);
    }
  });

  test('with junk in a cluster loses that cluster at most, and says so', async () => {
    for (const [, of] of WEBM.slice(1, 4)) {
      const file = webmFile(speech, of);
      const ends = packetEnds(file, speech);
      file.fill(0xee, ends[60], ends[62]);
      const answer = await post(file);
      expect(answer).toMatchObject({ status: 200, complete: false });
      expect(answer.durationMs).toBeGreaterThan(lengthMs(speech.packets.length - SECOND));
    }
  });

  test('that ends with zeros, or with room left free, is whole', async () => {
    const zeros = new Uint8Array(300);
    for (const trailer of [zeros, element(0xec, zeros), Buffer.concat([cues(), zeros])]) {
      for (const [, of] of WEBM.slice(0, 4)) {
        const answer = await post(webmFile(speech, { ...of, trailer }));
        expect(answer).toMatchObject({ status: 200, complete: true });
      }
    }
  });

  test('with a second recording behind it says that this one is not read', async () => {
    const [, of] = WEBM[0]!;
    const twice = Buffer.concat([webmFile(speech, of), webmFile(speech, of)]);
    expect(await post(twice)).toMatchObject({ status: 200, complete: false });
  });
});

describe('MP4', () => {
  test.each(['faststart', 'fragmented', 'moov-last'] as const)(
    'of the kind %s: whole it is complete, whatever its length',
    async (kind) => {
      for (const count of [1, 20, SPEECH]) {
        const part = { ...speech, packets: speech.packets.slice(0, count) };
        const answer = await post(await muxed(part, kind));
        expect(answer).toMatchObject({ status: 200, complete: true });
        expect(Math.abs(answer.durationMs - lengthMs(count))).toBeLessThan(2);
      }
    },
  );

  test.each(['faststart', 'fragmented'] as const)(
    'of the kind %s: cut anywhere all is heard that is there',
    async (kind) => {
      await cutAll(await muxed(speech, kind), speech, kind === 'fragmented', 20);
      const short = await opusSpeech(20);
      await cutAll(await muxed(short, kind), short, kind === 'fragmented');
    },
  );

  test('whose tables stand at the end is refused when they are cut off', async () => {
    const file = await muxed(speech, 'moov-last');
    const ends = packetEnds(file, speech);
    for (const cut of cutsOf(file, ends, 10).filter((at) => at > 64)) {
      expect((await post(file.slice(0, cut))).status).toBe(422);
    }
  });
});

test('Ogg, cut anywhere, is heard up to its last whole page', async () => {
  const file = await muxed(speech, 'ogg');
  expect(await post(file)).toMatchObject({ status: 200, complete: true });
  let before = 0;
  for (const cut of cutsOf(file, [], 20)) {
    const answer = await post(file.slice(0, cut));
    expect(answer.durationMs).toBeGreaterThanOrEqual(before);
    before = answer.durationMs;
  }
});
