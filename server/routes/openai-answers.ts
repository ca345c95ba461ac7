import type { TranscriptionAnswer } from '../transcription/transcription.ts';

/** The body of `response_format=json`. */
export function shortAnswer({ transcription, durationMs }: TranscriptionAnswer) {
  return { text: transcription, usage: usageOf(durationMs) };
}

/**
 * The body of `response_format=verbose_json`. One segment for all of it: no engine tells more, and
 * made-up times or odds would be worse than none.
 */
export function longAnswer(answer: TranscriptionAnswer) {
  const { transcription: text, language, durationMs } = answer;
  const end = durationMs / 1_000;
  return {
    task: 'transcribe',
    language: languageName(language),
    duration: end,
    text,
    segments: text === '' ? [] : [{ id: 0, start: 0, end, text }],
    usage: usageOf(durationMs),
  };
}

/** What goes out with `stream=true`: the text, as server-sent events. */
export function eventsOf({ transcription: text }: TranscriptionAnswer): string {
  const delta = { type: 'transcript.text.delta', delta: text };
  const done = { type: 'transcript.text.done', text };
  return (text === '' ? [done] : [delta, done])
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function usageOf(durationMs: number) {
  return { type: 'duration', seconds: Math.ceil(durationMs / 1_000) } as const;
}

const NAMES = new Intl.DisplayNames(['en'], { type: 'language' });

/** OpenAI says `swedish`, not `sv`. */
function languageName(code: string): string {
  return code === '' ? '' : (NAMES.of(code) ?? code).toLowerCase();
}
