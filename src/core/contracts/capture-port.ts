import type { DikteraError } from '../errors.ts';
import type { MicrophoneDevice } from '../session/snapshot.ts';

/** An open microphone whose frames flow to the worker. `Port` is the realm's MessagePort. */
export type CaptureHandle<Port> = {
  /** The one that is heard now. */
  readonly device: MicrophoneDevice;
  /** Frames stop after a `paused` mark; nothing is released. Harmless when already paused. */
  pause(): void;
  /** Frames go on after a `resumed` mark. */
  resume(): void;
  /**
   * Another worker's port: frames go there from now on, after what that worker asks to have again.
   * Also after `stop`.
   */
  reconnect(framePort: Port): void;
  /**
   * Flushes the last partial frame, marks the end and stops every track. Captured frames can still
   * be asked for again, until `end`. Never rejects; a second call gives the first one's promise.
   */
  stop(): Promise<void>;
  /** Stops, and closes the context. Never rejects; a second call gives the first one's promise. */
  end(): Promise<void>;
};

/** Opens microphones. `Port` is the realm's MessagePort. */
export type CapturePort<Port> = {
  /** Fetches what opening will need, without asking for anything. Never rejects. */
  preload(): Promise<void>;
  /**
   * Asks for the microphone and starts the worklet, whose frames go into `framePort`.
   * Throws a DikteraError: `microphone-*`, `tab-sound-refused`, `audio-graph-failed` or `asset-*`;
   * everything opened on the way is closed again.
   */
  open(request: CaptureRequest<Port>): Promise<CaptureHandle<Port>>;
};

/** Events while recording goes on. */
export type CaptureChange =
  /**
   * The browser's list came after the microphone, and named this one as the one to use: it took
   * over.
   */
  | { readonly kind: 'chosen'; readonly device: MicrophoneDevice }
  /**
   * The microphone went away, and another is being looked for; then one has come, or the recording
   * ends.
   */
  | { readonly kind: 'away'; readonly isAway: boolean }
  /** The microphone went away and this one took over; in between there was silence. */
  | { readonly kind: 'switched'; readonly device: MicrophoneDevice }
  /** The system has muted the microphone, or unmuted it. */
  | { readonly kind: 'muted'; readonly isMuted: boolean }
  /**
   * No audio has come for 2.25 to 3.25 s, whatever the microphone and the browser say of
   * themselves.
   */
  | { readonly kind: 'stalled' }
  /**
   * Audio comes again, or nobody waits for it any more: for `unheardMs` nothing was heard; 0 if
   * that was a false alarm. Also told without `stalled`, of a standstill that was mended in time.
   */
  | { readonly kind: 'flowing'; readonly unheardMs: number }
  /** The same, and the page's timers stood still as well: the computer slept. */
  | { readonly kind: 'slept'; readonly unheardMs: number }
  /** The user no longer shares the tab. */
  | { readonly kind: 'tab-sound-ended' };

export type CaptureRequest<Port> = {
  readonly framePort: Port;
  /** The microphone the user chose; null takes the one that `microphone-choice` prefers. */
  readonly deviceId: string | null;
  /** Mix in the sound of a tab that the user picks. @default false */
  readonly tabSound?: boolean;
  /** A stream to hear in place of a microphone; its tracks are not touched. @default a microphone */
  readonly stream?: MediaStream | undefined;
  /**
   * Called once when audio stops coming for good: `microphone-lost`, `microphone-missing` or
   * `audio-context-closed`.
   */
  readonly onLost: (error: DikteraError) => void;
  /**
   * Called when the audio context was stuck and another one took the recording over: `reconnect`
   * must give it a port, and the reader at its other end must ask for the frames that it lacks.
   * @default no other context takes over
   */
  readonly onRebuilt?: () => void;
  /** Called with a change of a recording that goes on. */
  readonly onChange?: (change: CaptureChange) => void;
};
