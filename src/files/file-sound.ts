import { fileReader } from '../assets/file-reader.ts';
import { startWorker } from '../assets/start-worker.ts';
import type { SoundAnswer, SoundPiece, SoundQuestion } from '../platform/file-sound.ts';

/** Why a file gives no sound: there is none, the browser cannot read it, or the script is not there. */
export class NoSound extends Error {
  readonly why: 'no-sound' | 'unreadable' | 'no-script';
  /** The codec of a sound that the browser cannot read, if known. */
  readonly codec: string | null;

  constructor(why: NoSound['why'], codec: string | null = null) {
    super(`The file cannot be read: ${why}`);
    this.why = why;
    this.codec = codec;
  }
}

/** A file whose sound is being read. */
export type OpenedSound = Awaited<ReturnType<typeof openSound>>;

/**
 * Opens the sound of an audio or video file in a worker of its own, which decodes a piece ahead of what
 * is asked for. Rejects with `NoSound`, or with the signal's reason: a damaged file may keep a decoder
 * busy for ever. `dispose` ends it, whatever is under way.
 */
export async function openSound(file: Blob, signal: AbortSignal) {
  const { script, kernel } = fileReader();
  const worker = startWorker(script, 'diktera-file');
  const dispose = (): void => worker.terminate();
  let isWhole = true;
  const ask = (question: SoundQuestion): Promise<SoundAnswer> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      worker.onmessage = ({ data }: MessageEvent<SoundAnswer>) => {
        if (data.kind === 'failed') reject(new NoSound(data.why, data.codec));
        else resolve(data);
      };
      worker.onerror = () => reject(new NoSound('no-script'));
      worker.postMessage(question);
    });

  async function* pieces(fromMs: number): AsyncGenerator<SoundPiece, void> {
    let next = ask({ kind: 'next', fromMs });
    for (;;) {
      const answer = await next;
      if (answer.kind === 'end') isWhole = answer.isWhole;
      if (answer.kind !== 'piece') return;
      next = ask({ kind: 'next' });
      // An error is thrown when its turn comes.
      next.catch(() => {});
      yield answer;
    }
  }

  try {
    const opened = await ask({ kind: 'open', file, kernel });
    if (opened.kind !== 'opened') throw new NoSound('unreadable');
    const { durationMs, type, codec } = opened;
    return { durationMs, type, codec, pieces, isWhole: () => isWhole, dispose };
  } catch (thrown) {
    dispose();
    throw thrown;
  }
}
