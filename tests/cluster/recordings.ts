import {
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  type EncodedPacket,
  EncodedPacketSink,
  Input,
  Output,
  WEBM,
  WebMOutputFormat,
} from 'mediabunny';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { Random } from '../../src/core/clock.ts';
import { fixture } from '../helpers/running-server.ts';
import { seededRandom } from '../helpers/seeded-random.ts';

/** The most speech a chunk holds: the page cuts there. */
const MAX_CHUNK_S = 90;

const MIN_CHUNK_S = 1;

/**
 * The lengths of dictations: log-normal with a mean of 21 s. An assumption, not a measurement,
 * except for the page's cut at 90 s.
 */
const MEDIAN_DICTATION_S = 14;
const SPREAD = 0.9;

/**
 * The lengths that stand for all chunks, in s, equally frequent, shortest first: dictations by the
 * distribution above, cut every 90 s, the rest of each a chunk of its own.
 */
export function chunkLengths(count: number, random: Random): readonly number[] {
  const drawn: number[] = [];
  while (drawn.length < 500 * count) drawn.push(...cut(dictationSeconds(random)));
  drawn.sort((a, b) => a - b);
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * drawn.length) / count);
    const to = Math.floor(((index + 1) * drawn.length) / count);
    return mean(drawn.slice(from, to));
  });
}

/**
 * When chunks come, in ms from the beginning: a Poisson process whose rate, `perSecondAt(ms)`, is
 * never above `maxPerSecond`.
 */
export function poissonArrivals(
  forMs: number,
  maxPerSecond: number,
  perSecondAt: (atMs: number) => number,
  random: Random,
): readonly number[] {
  const arrivals: number[] = [];
  let atMs = 0;
  for (;;) {
    atMs += (-Math.log(1 - random()) / maxPerSecond) * 1_000;
    if (atMs >= forMs) return arrivals;
    // Thinned: of the fastest process only as many as there are at this time.
    if (random() * maxPerSecond < perSecondAt(atMs)) arrivals.push(atMs);
  }
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function dictationSeconds(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(MIN_CHUNK_S, MEDIAN_DICTATION_S * Math.exp(SPREAD * normal));
}

function cut(seconds: number): readonly number[] {
  const whole = Math.floor(seconds / MAX_CHUNK_S);
  const rest = seconds - whole * MAX_CHUNK_S;
  const chunks = new Array<number>(whole).fill(MAX_CHUNK_S);
  return rest >= MIN_CHUNK_S ? [...chunks, rest] : chunks;
}

/** A recording of which any number of others can be made, all alike and no two the same. */
export type RecordingMould = {
  readonly seconds: number;
  readonly durationSamples: number;
  /** Recording number `id` as a browser uploads it (WebM, Opus): the same bytes each time. */
  make(id: number): ArrayBuffer;
};

/** Where a packet stands in a file. */
type Place = { readonly at: number; readonly bytes: number };

/** The length of the fixture's packets, but for the last. */
const PACKET_S = 0.02;

/** Packets of each recording that are its own: enough to be told by, wherever one listens. */
const OWN_PACKETS = 8;

/** The packet's header; after it any bytes are sound. */
const PACKET_HEAD_BYTES = 3;

/** Makes moulds of these lengths, in s: speech of the fixtures over and over, 35 kB for 10 s. */
export async function recordingMoulds(
  lengthsS: readonly number[],
): Promise<readonly RecordingMould[]> {
  const { packets, config } = await readPackets(fixture('speech-en.webm'));
  const moulds: RecordingMould[] = [];
  for (const seconds of lengthsS) moulds.push(await mould(seconds, packets, config));
  return moulds;
}

async function mould(
  wantedS: number,
  speech: readonly EncodedPacket[],
  config: AudioDecoderConfig,
): Promise<RecordingMould> {
  const packets = Array.from({ length: Math.round(wantedS / PACKET_S) }, (_, index) =>
    speech[index % speech.length]!.clone({ timestamp: index * PACKET_S, duration: PACKET_S }),
  );
  const seconds = packets.length * PACKET_S;
  const file = await writeFile(packets, config);
  const places = placesOf(file, packets);
  return {
    seconds,
    durationSamples: Math.round(seconds * SAMPLE_RATE_HZ),
    make(id) {
      const copy = file.slice(0);
      const bytes = new Uint8Array(copy);
      const random = seededRandom(id);
      for (let own = 0; own < OWN_PACKETS; own++) {
        const { at, bytes: length } = places[Math.floor((own * places.length) / OWN_PACKETS)]!;
        for (let byte = PACKET_HEAD_BYTES; byte < length; byte++) {
          bytes[at + byte] = Math.floor(random() * 256);
        }
      }
      return copy;
    },
  };
}

async function writeFile(
  packets: readonly EncodedPacket[],
  decoderConfig: AudioDecoderConfig,
): Promise<ArrayBuffer> {
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat(), target });
  const source = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(source);
  await output.start();
  for (const packet of packets) await source.add(packet, { decoderConfig });
  await output.finalize();
  if (target.buffer === null) throw new Error('no file was made');
  return target.buffer;
}

function placesOf(file: ArrayBuffer, packets: readonly EncodedPacket[]): readonly Place[] {
  const whole = Buffer.from(file);
  let from = 0;
  return packets.map(({ data }) => {
    const at = whole.indexOf(data, from);
    if (at < 0) throw new Error('a packet is not in the file it was put into');
    from = at + data.length;
    return { at, bytes: data.length };
  });
}

async function readPackets(file: Uint8Array<ArrayBuffer>) {
  const input = new Input({ source: new BufferSource(file), formats: [WEBM] });
  const track = await input.getPrimaryAudioTrack();
  const config = await track?.getDecoderConfig();
  if (!track || !config) throw new Error('the fixture has no audio');
  const packets: EncodedPacket[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet);
  return { packets: packets.slice(0, -1), config };
}
