import { AUDIO_EXTENSIONS } from '../core/audio/audio-types.ts';
import type { AudioFile } from '../core/contracts/worker-api.ts';

/** Has the browser save a file under a name, its extension added. */
export function saveAudio({ type, bytes }: AudioFile, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.${AUDIO_EXTENSIONS[type]}`;
  link.click();
  // The download has the bytes by then; the address would keep them in memory.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
