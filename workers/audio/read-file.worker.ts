import type { WorkerAssets } from '../../src/core/contracts/asset-addresses.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { createSteadyEngine } from '../../src/core/speech/steady-engine.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import type { SoundAnswer, SoundPiece, SoundQuestion } from '../../src/platform/file-sound.ts';
import { createHttpClient } from '../http/http-client.ts';
import { createTested } from './choose-engine.ts';
import { kernelFactory } from './kernel-engine.ts';
import { openSound, UnreadableSound } from './read-file.ts';

// Reads one file of sound, a piece whenever one is asked for; it ends with its page's interest in it.

let sound: Awaited<ReturnType<typeof openSound>> | null = null;
let pieces: AsyncGenerator<SoundPiece, void> | null = null;

async function answer(question: SoundQuestion): Promise<SoundAnswer> {
  if (question.kind === 'open') {
    sound = await openSound(question.file, loadEngine(question.kernel));
    const { durationMs, type, codec } = sound;
    return { kind: 'opened', durationMs, type, codec };
  }
  if (question.fromMs !== undefined) pieces = sound?.pieces(question.fromMs) ?? null;
  const next = await pieces?.next();
  if (next?.value) return { kind: 'piece', ...next.value };
  return { kind: 'end', isWhole: sound?.isWhole() ?? true };
}

/** Null where it cannot be had: nothing that may be speech is left out for that. */
async function loadEngine(kernel: WorkerAssets['kernel']): Promise<SpeechEngine | null> {
  const http = createHttpClient({ clock: browserClock });
  try {
    // The kernel needs no other file.
    const assets = { kernel, model: '', ort: null };
    return createSteadyEngine(await createTested(kernelFactory, { assets, threads: 1, http }));
  } catch (error) {
    console.warn('The speech detector cannot be had; all that is not silent is read', error);
    return null;
  }
}

addEventListener('message', async ({ data }: MessageEvent<SoundQuestion>) => {
  const said = await answer(data).catch((thrown: unknown): SoundAnswer => {
    console.warn('The sound of a file cannot be read', thrown);
    const { why, codec } =
      thrown instanceof UnreadableSound ? thrown : new UnreadableSound('unreadable');
    return { kind: 'failed', why, codec };
  });
  const bytes = said.kind === 'piece' && said.bytes;
  postMessage(said, { transfer: bytes ? [bytes] : [] });
});
