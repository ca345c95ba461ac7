import { msToSamples } from '../../src/core/audio/audio-format.ts';
import { tellParent } from '../children/children.ts';
import { ApiError } from '../core/api-error.ts';
import { decodeAudio } from './decode-audio.ts';
import type { DecodeReply, DecodeRequest } from './decode-protocol.ts';
import { beginWatch, endWatch, isSlowed, noteSamples, type WatchedState } from './decode-watch.ts';

/** Half a minute at once: whoever reads it has other things to do in between. */
const PART_SAMPLES = msToSamples(30_000);

/** The decoding process: decodes one file after the other. */
export function answerRequests(state: WatchedState, ffmpegPath: string | null): void {
  process.on('message', async (request: DecodeRequest) => {
    const cpuBefore = process.cpuUsage();
    const cost = () => {
      const { user, system } = process.cpuUsage(cpuBefore);
      return { cpuMs: (user + system) / 1_000, isSlowed: isSlowed(state) };
    };
    await tell({ kind: 'begun' });
    beginWatch(state, request.file.length);
    const last = await answer(request, state, ffmpegPath, cost);
    endWatch(state);
    await tell(last);
  });
  void tell({ kind: 'ready' });
}

async function answer(
  { file, maxAudioMs }: DecodeRequest,
  state: WatchedState,
  ffmpegPath: string | null,
  cost: () => Extract<DecodeReply, { readonly kind: 'decoded' }>['cost'],
): Promise<DecodeReply> {
  try {
    const onProgress = (samples: number) => noteSamples(state, samples);
    const audio = await decodeAudio(file, maxAudioMs, { ffmpegPath, onProgress });
    for (let start = 0; start < audio.samples.length; start += PART_SAMPLES) {
      await tell({ kind: 'part', samples: audio.samples.slice(start, start + PART_SAMPLES) });
    }
    return { kind: 'decoded', complete: audio.complete, cost: cost() };
  } catch (error) {
    if (error instanceof ApiError) {
      const { status, code, message } = error;
      return { kind: 'refused', status, code, message, cost: cost() };
    }
    const message = error instanceof Error ? error.message : 'not an error';
    return { kind: 'failed', message, cost: cost() };
  }
}

const tell = (reply: DecodeReply) => tellParent(reply);
