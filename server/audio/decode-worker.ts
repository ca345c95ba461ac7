import { parentPort } from 'node:worker_threads';
import { ApiError } from '../api-error.ts';
import { decodeAudio } from './decode-audio.ts';
import type { DecodeReply, DecodeRequest } from './decode-protocol.ts';

/** The other side of `decode-thread.ts`: decodes one file after the other. */
async function answer({ file, maxAudioMs }: DecodeRequest): Promise<DecodeReply> {
  try {
    return { kind: 'decoded', audio: await decodeAudio(file, maxAudioMs) };
  } catch (error) {
    if (error instanceof ApiError) {
      return { kind: 'refused', status: error.status, code: error.code, message: error.message };
    }
    return { kind: 'failed', message: error instanceof Error ? error.message : 'not an error' };
  }
}

parentPort?.on('message', async (request: DecodeRequest) => {
  const reply = await answer(request);
  const transfer = reply.kind === 'decoded' ? [reply.audio.samples.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(reply, transfer);
});

const ready: DecodeReply = { kind: 'ready' };
parentPort?.postMessage(ready);
