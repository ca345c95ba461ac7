import type { DikteraError } from './errors.ts';
import type { MicrophoneDevice } from './snapshot.ts';

/** An open microphone whose frames flow to the worker. */
export type CaptureHandle = {
  readonly device: MicrophoneDevice;
  /** Frames stop after a `paused` mark; nothing is released. Harmless when already paused. */
  pause(): void;
  /** Frames go on after a `resumed` mark. */
  resume(): void;
  /**
   * Flushes the last partial frame, marks the end, stops every track and closes the context.
   * Never rejects; a second call gives the first one's promise.
   */
  end(): Promise<void>;
};

/** Opens microphones. `Port` is the realm's MessagePort. */
export type CapturePort<Port> = {
  /** Fetches what opening will need, without asking for anything. Never rejects. */
  preload(): Promise<void>;
  /**
   * Asks for the microphone and starts the worklet, whose frames go into `framePort`.
   * Throws a DikteraError: `microphone-*`, `audio-graph-failed` or `asset-*`; everything opened on the
   * way is closed again.
   */
  open(request: CaptureRequest<Port>): Promise<CaptureHandle>;
};

export type CaptureRequest<Port> = {
  readonly framePort: Port;
  /** The microphone the user chose; null chooses as the spec says. */
  readonly deviceId: string | null;
  /** Told once when audio stops coming for good: `microphone-lost` or `audio-context-closed`. */
  readonly onLost: (error: DikteraError) => void;
};
