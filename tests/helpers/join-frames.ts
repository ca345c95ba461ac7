import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { FrameMessage } from '../../src/core/audio/frame-protocol.ts';
import { samplesOf } from '../../src/core/audio/samples.ts';

/**
 * All audio in the messages put together, as samples from -1 to 1. Throws unless each frame begins where the one before
 * ended, and is full but right before a `paused` or `ended` mark.
 */
export function joinFrames(messages: readonly FrameMessage[]): Float32Array {
  const frames: Int16Array[] = [];
  let position = 0;
  messages.forEach((message, i) => {
    if (message.kind !== 'frame') {
      if (message.kind !== 'gap' && message.atSample !== position) {
        throw new Error(`'${message.kind}' at ${message.atSample} instead of ${position}`);
      }
      return;
    }
    const next = messages[i + 1]?.kind;
    const mayBeShort = next === 'paused' || next === 'ended';
    if (message.startSample !== position) {
      throw new Error(`Frame at ${message.startSample} instead of ${position}`);
    }
    if (message.pcm.length !== FRAME_SAMPLES && !mayBeShort) {
      throw new Error(`${message.pcm.length} samples at ${position}, before '${next}'`);
    }
    frames.push(message.pcm);
    position += message.pcm.length;
  });
  return samplesOf(frames);
}
