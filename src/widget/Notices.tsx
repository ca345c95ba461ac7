import { TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { Notice, NoticeKind } from '../core/session/snapshot.ts';
import { useSnapshot } from './hooks.ts';
import { useStrings } from './strings.tsx';

export type NoticesProps = {
  readonly dictation: Dictation;
  /** True for a notice that the page tells in another place. @default all are told here */
  readonly isTold?: (notice: Notice) => boolean;
};

/** The notices, each with advice, in plain words. */
export function Notices({ dictation, isTold = () => false }: NoticesProps) {
  const strings = useStrings();
  const all = useSnapshot(dictation, (snapshot) => snapshot.notices);
  const notices = all.filter((notice) => !isTold(notice));
  return (
    <div translate="no" className="notices" role="alert">
      {notices.map(({ kind, error, durationMs }) => (
        <div
          key={kind}
          className="notice"
          data-notice={kind}
          data-is-alarm={isAlarm(kind)}
          data-code={error?.code}
        >
          <TriangleAlert aria-hidden />
          <p>
            <strong>
              {`${strings.notices[kind].title}${
                durationMs === undefined
                  ? ''
                  : ` (${strings.duration(Math.round(durationMs / 1_000))})`
              }.`}
            </strong>
            <span>{` ${strings.notices[kind].advice}`}</span>
          </p>
          <button
            type="button"
            className="tool is-quiet"
            aria-label={strings.dismiss}
            onClick={() => dictation.dismissNotice(kind)}
          >
            <X aria-hidden />
          </button>
        </div>
      ))}
    </div>
  );
}

/**
 * Notices that mean that somebody may be speaking unheard, and the time before the alarm sounds:
 * another microphone mostly takes over at once.
 */
const SOUND_AFTER_MS: Readonly<Partial<Record<NoticeKind, number>>> = {
  'capture-stalled': 0,
  'microphone-away': 1_500,
  'microphone-muted': 1_500,
};

/** True for a notice that means that somebody may be speaking unheard. */
const isAlarm = (kind: NoticeKind): boolean => SOUND_AFTER_MS[kind] !== undefined;

/** The cause that keeps sound from being recorded; null if there is none. */
export function useUnheardCause(dictation: Dictation): NoticeKind | null {
  return useSnapshot(
    dictation,
    ({ notices }) => notices.find(({ kind }) => isAlarm(kind))?.kind ?? null,
  );
}

/**
 * While nothing is heard, the tab says so in its title, and a short sound calls for attention.
 */
export function useSilenceAlarm(dictation: Dictation, isMine: boolean): void {
  const { alarmTitle } = useStrings();
  const cause = useUnheardCause(dictation);
  const why = isMine ? cause : null;

  useEffect(() => {
    if (why === null) return;
    return markTitle(alarmTitle);
  }, [why, alarmTitle]);

  useEffect(() => {
    if (why === null) return;
    const timer = setTimeout(() => void playAlarm(), SOUND_AFTER_MS[why]);
    return () => clearTimeout(timer);
  }, [why]);
}

/**
 * Marks the page's title. A page that gives itself another one meanwhile keeps that, the mark taken
 * out of it.
 */
function markTitle(marked: (title: string) => string): () => void {
  const mark = marked('');
  document.title = marked(document.title);
  return () => {
    document.title = document.title.replace(mark, '');
  };
}

/** Two soft notes, the second one lower: something has stopped. */
const NOTES_HZ = [660, 440] as const;
const NOTE_S = 0.22;
const LOUDNESS = 0.12;
const FADE_S = 0.02;

/** A context that does not run by then will not be heard in time. */
const PATIENCE_MS = 1_000;

/**
 * Plays a short, soft sound in a context of its own, since the recording one may be stuck.
 * Silent where the browser lets no sound be made. Never rejects.
 */
export async function playAlarm(): Promise<void> {
  try {
    const context = new AudioContext();
    setTimeout(() => void context.close().catch(() => {}), PATIENCE_MS);
    if (context.state !== 'running') await context.resume();
    NOTES_HZ.forEach((frequencyHz, index) => {
      playNote(context, frequencyHz, context.currentTime + index * NOTE_S);
    });
  } catch {
    // The alarm is still seen.
  }
}

function playNote(context: AudioContext, frequencyHz: number, atS: number): void {
  const tone = new OscillatorNode(context, { frequency: frequencyHz });
  const volume = new GainNode(context, { gain: 0 });
  // Without a click at either end.
  volume.gain.setValueAtTime(0, atS);
  volume.gain.linearRampToValueAtTime(LOUDNESS, atS + FADE_S);
  volume.gain.setValueAtTime(LOUDNESS, atS + NOTE_S - FADE_S);
  volume.gain.linearRampToValueAtTime(0, atS + NOTE_S);
  tone.connect(volume).connect(context.destination);
  tone.start(atS);
  tone.stop(atS + NOTE_S);
}
