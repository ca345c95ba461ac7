/**
 * A message from the capture worklet to the dictation worker, over a MessagePort of their own. All
 * stand in one ordered stream, so that a mark means the same on both sides: all frames before it
 * have been received.
 *
 * `startSample` and `atSample` count 16 kHz samples since the session began, pauses excluded.
 */
export type FrameMessage =
  /** 16-bit PCM: `FRAME_SAMPLES` samples, fewer only right before a `paused` or `ended` mark. */
  | { readonly kind: 'frame'; readonly startSample: number; readonly pcm: Int16Array }
  | FrameMark
  /**
   * A replay was asked for from too far back: the samples before `atSample` are gone. Always the
   * first message of a replay.
   */
  | { readonly kind: 'lost'; readonly atSample: number; readonly lostSamples: number };

/** Something that happened in the recording, kept with the audio it belongs to. */
export type FrameMark =
  /**
   * The browser skipped blocks, or stood still: so many input frames at the context's rate were
   * never seen.
   */
  | { readonly kind: 'gap'; readonly atSample: number; readonly lostInputFrames: number }
  | { readonly kind: 'paused'; readonly atSample: number }
  | { readonly kind: 'resumed'; readonly atSample: number }
  /** Nothing follows. `inputFrames` is what went in, at the context's rate. */
  | { readonly kind: 'ended'; readonly atSample: number; readonly inputFrames: number };

/**
 * Frames whose memory goes back in one message; one for each frame would wake both threads twice as
 * often. It is also how many are sent at a time while catching up, since the next ones wait for it.
 */
export const RECYCLED_TOGETHER = 8;

/** A message from the worker to the worklet, over the frames' port. */
export type FrameRequest =
  /**
   * Gives frames' memory back to be filled again, and has what is still to be caught up with sent on.
   * After every `RECYCLED_TOGETHER` frames, and after each message that is none.
   */
  | { readonly kind: 'recycle'; readonly buffers: readonly ArrayBuffer[] }
  /**
   * Asks for everything from this sample on, then what comes live, each sample once and in order;
   * marks at that sample included. For a worker that takes over: it asks once, before it gets
   * anything.
   */
  | { readonly kind: 'replay'; readonly fromSample: number };

/** A command from the page, over the node's own port. `Port` is the realm's MessagePort. */
export type WorkletCommand<Port> =
  /**
   * Sends frames into this port from now on. The first one gets all there is at once, unless
   * another worklet began the recording; a later one is another worker's, takes the place of the
   * one before, and gets nothing until it asks for a `replay`: also when recording is paused or
   * over.
   */
  | { readonly kind: 'connect'; readonly framePort: Port }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  /** Flushes the resampler and the partial frame, then marks the end. */
  | { readonly kind: 'end' };

/** A report to the page, over the node's own port. */
export type WorkletReport =
  | { readonly kind: 'running'; readonly contextRateHz: number }
  /**
   * Another second of audio has gone through, recorded or not. At once after a standstill of a
   * second or more, and then says for how long nothing came; 0 else. `isSilent` if all that came
   * since the last time was zeros, as no microphone in a room gives them.
   */
  | { readonly kind: 'heard'; readonly unheardMs: number; readonly isSilent: boolean }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly message: string };

/** The name under which the worklet registers its processor. */
export const CAPTURE_PROCESSOR_NAME = 'diktera-capture';

/** The node's `processorOptions`. */
export type CaptureProcessorOptions<Module> = {
  /** A compiled `WebAssembly.Module`. */
  readonly resamplerModule: Module;
  /**
   * When another context's worklet was last heard, ms since 1970: this one goes on with its
   * recording, at the sample that the worker asks for first, with a gap for what nobody heard. Null
   * begins a recording.
   */
  readonly heardAtMs: number | null;
};
