import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny';
import { createAdtsHeads } from '../../../server/audio/decode-by-ffmpeg.ts';
import {
  endlessFragment,
  sameBytesAgain,
  sizesOfNoBits,
  spokenAgain,
} from '../../helpers/hostile-mp4.ts';
import { fixture } from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';
import { styledWave } from '../../helpers/wave-formats.ts';
import { type FileFormat, MP4_FORMAT, OGG_FORMAT, WAV_FORMAT, WEBM_FORMAT } from './formats.ts';
import { ADTS_FORMAT, FLAC_FORMAT, MP3_FORMAT } from './sound-formats.ts';

/** A file wounds are done to. */
export type BaseFile = {
  readonly name: string;
  readonly format: FileFormat;
  readonly file: Uint8Array;
};

/**
 * Files of the kinds that programs other than browsers send. ffmpeg, where the machine has it, reads
 * AAC and Vorbis.
 */
export async function otherFiles(): Promise<readonly BaseFile[]> {
  const mp3 = fixture('speech-en.mp3');
  return [
    { name: 'mp3', format: MP3_FORMAT, file: mp3.slice(0, 3_000) },
    { name: 'flac', format: FLAC_FORMAT, file: fixture('speech-en.flac').slice(0, 14_000) },
    { name: 'flac again', format: FLAC_FORMAT, file: fixture('speech-en.flac').slice(0, 14_000) },
    { name: 'adts', format: ADTS_FORMAT, file: await adtsOf(fixture('speech-en-aac.mp4')) },
    { name: 'mp4 of AAC', format: MP4_FORMAT, file: fixture('speech-en-aac.mp4') },
    { name: 'vorbis', format: OGG_FORMAT, file: shortVorbis(fixture('speech-en-vorbis.ogg')) },
  ];
}

/** The heads, which fill pages of their own, and half a second. */
function shortVorbis(file: Uint8Array): Uint8Array {
  const pages = OGG_FORMAT.parse(file).slice(0, 3);
  const sound = pages[2];
  if (sound !== undefined) sound.children = sound.children.slice(0, PACKETS);
  return OGG_FORMAT.write(pages);
}

/** The first packets of AAC in an MP4, each with a head. */
async function adtsOf(file: Uint8Array): Promise<Uint8Array> {
  const input = new Input({ source: new BufferSource(file), formats: [MP4] });
  const track = await input.getPrimaryAudioTrack();
  const { description } = (await track?.getDecoderConfig()) ?? {};
  const wrap = createAdtsHeads(new Uint8Array(description as ArrayBuffer));
  const packets: Uint8Array[] = [];
  if (track === null) return new Uint8Array(0);
  for await (const { data } of new EncodedPacketSink(track).packets()) packets.push(wrap(data));
  return Buffer.concat(packets.slice(0, PACKETS));
}

/** Half a second: wounds of headers show in the first packets, and the engine has less to do. */
const PACKETS = 25;

/** Whole files of each kind, and some that are hostile before anything is done to them. */
export async function baseFiles(): Promise<readonly BaseFile[]> {
  const speech = fixture('speech-en.mp4');
  const mp4 = (name: string, file: Uint8Array) => ({ name, format: MP4_FORMAT, file });
  const wav = (name: string, file: Uint8Array) => ({ name, format: WAV_FORMAT, file });
  const half = tone(440, 16_000, 0.4);
  const style = { rateHz: 16_000, channels: 1 };
  return [
    mp4('mp4', await spokenAgain(speech, 1, PACKETS)),
    mp4('mp4 as recorded', speech),
    mp4('mp4 in fragments', endlessFragment(0, PACKETS)),
    mp4('mp4 with small sizes', sizesOfNoBits(0, PACKETS)),
    mp4('mp4 that repeats', await sameBytesAgain(speech, 3, PACKETS)),
    mp4('mp4 of AAC', fixture('speech-en-aac.mp4')),
    { name: 'webm', format: WEBM_FORMAT, file: firstBlocks(fixture('speech-en.webm')) },
    { name: 'webm again', format: WEBM_FORMAT, file: firstBlocks(fixture('speech-en.webm')) },
    { name: 'ogg', format: OGG_FORMAT, file: firstSegments(fixture('speech-en.ogg')) },
    { name: 'ogg again', format: OGG_FORMAT, file: firstSegments(fixture('speech-en.ogg')) },
    wav('wav', waveFile(16_000, half)),
    wav('wav of two channels', waveFile(44_100, half, half)),
    wav('wav, extensible', styledWave(half, { ...style, kind: 's24', isExtensible: true })),
    wav('wav of floats', styledWave(half, { ...style, kind: 'f64', hasStrangeChunk: true })),
    wav('wav from a pipe', styledWave(half, { ...style, kind: 'u8', isPiped: true })),
  ];
}

function firstBlocks(file: Uint8Array): Uint8Array {
  const elements = WEBM_FORMAT.parse(file);
  const simpleBlock = Buffer.from([0xa3]).toString('latin1');
  for (const segment of elements) {
    for (const cluster of segment.children) {
      const blocks = cluster.children.filter(({ name }) => name === simpleBlock);
      const late = new Set(blocks.slice(PACKETS));
      cluster.children = cluster.children.filter((child) => !late.has(child));
    }
  }
  return WEBM_FORMAT.write(elements);
}

/** Of each page. */
function firstSegments(file: Uint8Array): Uint8Array {
  const pages = OGG_FORMAT.parse(file).slice(0, 3);
  for (const page of pages) page.children = page.children.slice(0, PACKETS);
  return OGG_FORMAT.write(pages);
}
