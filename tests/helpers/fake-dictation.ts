import type { Dictation, StartOptions } from '../../src/core/dictation.ts';
import { createMicrophoneDoctor } from '../../src/core/microphone-doctor.ts';
import { IDLE_SESSION, type SessionPhase } from '../../src/core/snapshot.ts';
import { createStillDictation, type StillDictation } from '../../src/ui/review/still-dictation.ts';

/** A dictation without microphone and worker: the test says what is heard. */
export type FakeDictation = StillDictation & {
  /** What `start` was given, call by call. */
  readonly started: StartOptions[];
  /** What was called, by name. */
  readonly calls: string[];
  /** The frame that comes next, for the meter and the doctor. */
  hear(levelDbfs: number, isSpeaking: boolean, highBandDbfs?: number): void;
  /** Ends the session with a text, as the worker does; answers what the field said. */
  deliver(transcription: string): Promise<boolean>;
};

/** Records while it is told to; `stop` leaves it transcribing until `deliver`. */
export function createFakeDictation(answer: { isRefused?: boolean } = {}): FakeDictation {
  const still = createStillDictation();
  const doctor = createMicrophoneDoctor();
  const started: StartOptions[] = [];
  const calls: string[] = [];
  let deliver: StartOptions['deliver'];

  const enter = (phase: SessionPhase): void => {
    const isPaused = phase === 'paused';
    const isRecording = phase === 'recording' || isPaused;
    still.setSession({ id: 'session', phase, isRecording, isPaused });
  };

  const commands: Partial<Dictation> = {
    prepare: () => calls.push('prepare'),
    async start(options = {}) {
      calls.push('start');
      started.push(options);
      if (answer.isRefused) return false;
      deliver = options.deliver;
      enter('starting');
      await Promise.resolve();
      enter('recording');
      return true;
    },
    pause() {
      calls.push('pause');
      enter('paused');
    },
    resume() {
      calls.push('resume');
      enter('recording');
    },
    async stop() {
      calls.push('stop');
      enter('transcribing');
      return null;
    },
  };

  return {
    ...still,
    ...commands,
    started,
    calls,
    // Sounds of s are some 15 dB below a voice.
    hear(levelDbfs, isSpeaking, highBandDbfs = levelDbfs - 15) {
      const { judgedFrames } = still.getSnapshot().session;
      still.setSession({
        levelDbfs,
        // As in the worker. Speech peaks some 12 dB above its mean.
        ailment: doctor.examine({
          levelDbfs,
          peakDbfs: Math.min(0, levelDbfs + 12),
          highBandDbfs,
          isSpeaking,
          isJudged: true,
        }),
        isSpeaking,
        judgedFrames: judgedFrames + 1,
        accumulatedRecordingMs: (judgedFrames + 1) * 96,
      });
    },
    async deliver(transcription) {
      const isTaken =
        (await deliver?.({ transcription, failedChunks: 0, doubtfulChunks: 0 })) === true;
      enter('stopped');
      still.set({ session: IDLE_SESSION });
      return isTaken;
    },
  };
}
