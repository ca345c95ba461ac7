import type { SoundAnswer, SoundPiece, SoundQuestion } from '../../src/platform/file-sound.ts';
import { openSound, UnreadableSound } from './read-file.ts';

// Reads one file of sound, a piece whenever one is asked for; it ends with its page's interest in it.

let sound: Awaited<ReturnType<typeof openSound>> | null = null;
let pieces: AsyncGenerator<SoundPiece, void> | null = null;

async function answer(question: SoundQuestion): Promise<SoundAnswer> {
  if (question.kind === 'open') {
    sound = await openSound(question.file);
    return { kind: 'opened', durationMs: sound.durationMs };
  }
  if (question.fromMs !== undefined) pieces = sound?.pieces(question.fromMs) ?? null;
  const next = await pieces?.next();
  return next?.value ? { kind: 'piece', ...next.value } : { kind: 'end' };
}

addEventListener('message', async ({ data }: MessageEvent<SoundQuestion>) => {
  const said = await answer(data).catch((thrown: unknown): SoundAnswer => {
    const { why, codec } =
      thrown instanceof UnreadableSound ? thrown : new UnreadableSound('unreadable');
    return { kind: 'failed', why, codec };
  });
  const wav = said.kind === 'piece' && said.wav;
  postMessage(said, { transfer: wav ? [wav] : [] });
});
