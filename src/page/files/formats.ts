import { srtOf, vttOf } from '../../core/text/subtitles.ts';
import type { TimedPart } from '../../files/file-texts.ts';

/** Forms in which a file's text is saved. */
export const TEXT_FORMS = ['txt', 'docx', 'srt', 'vtt', 'json'] as const;
export type TextForm = (typeof TEXT_FORMS)[number];

const TYPES: Readonly<Record<TextForm, string>> = {
  txt: 'text/plain',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  json: 'application/json',
};

/**
 * The text of a file as a file of its own. `hasTimes` is for the forms to be read, in which a time is in
 * front of each part then; the others have them anyway. Rejects where the script for it cannot be fetched.
 */
export async function textFile(
  parts: readonly TimedPart[],
  form: TextForm,
  hasTimes: boolean,
): Promise<Blob> {
  const lines = parts.map(({ text, startMs }) => (hasTimes ? `${clock(startMs)}  ${text}` : text));
  if (form !== 'docx') {
    const written = form === 'txt' ? `${lines.join('\n')}\n` : writtenAs(form, parts);
    return new Blob([written], { type: `${TYPES[form]};charset=utf-8` });
  }
  const { docxOf } = await import('./docx.ts');
  return new Blob([docxOf(lines)], { type: TYPES.docx });
}

/** A name beside that of the sound: `talk.txt` for `talk.mp3`. */
export function textName(name: string, form: TextForm): string {
  return `${name.replace(/\.[^.]+$/, '') || name}.${form}`;
}

function writtenAs(form: Exclude<TextForm, 'txt' | 'docx'>, parts: readonly TimedPart[]): string {
  switch (form) {
    case 'srt':
      return srtOf(parts);
    case 'vtt':
      return vttOf(parts);
    case 'json':
      return `${JSON.stringify({ text: parts.map(({ text }) => text).join('\n'), parts }, null, 2)}\n`;
  }
}

/** `1:02:03`, or `2:03`. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`;
}
