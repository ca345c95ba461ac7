import type { AudioEncoderPort, SoundPacker } from '../src/core/audio/audio-types.ts';
import type { AudioFile } from '../src/core/contracts/worker-api.ts';
import type { ServerWatch } from './server-watch.ts';
import type { Recovery } from './session/recovery.ts';
import type { SessionParts } from './session/session-parts.ts';
import type { VisibleTabs } from './store/visible-lock.ts';

/** What a worker is made of, once it knows where things are. */
export type WorkerParts = SessionParts & {
  readonly encoder: AudioEncoderPort & SoundPacker;
  readonly recovery: Recovery;
  /** What was dictated before anybody had signed in is this person's. Never rejects. */
  readonly claimUnowned: () => Promise<void>;
  readonly server: ServerWatch;
  readonly visibleTabs: VisibleTabs;
  /** The audio of a session's waiting chunks as one file. */
  readonly audioOf: (sessionId: string) => Promise<AudioFile | null>;
};
