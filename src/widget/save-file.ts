import { AUDIO_EXTENSIONS } from '../core/audio/audio-types.ts';
import type { AudioFile } from '../core/contracts/worker-api.ts';

/** For the name of a file, in any language: such as 2026-03-01 09.30. */
export function sortableTime(time: Date): string {
  return time.toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' }).replaceAll(':', '.');
}

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
