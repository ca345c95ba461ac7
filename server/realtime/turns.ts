import { FRAME_SAMPLES, SAMPLE_RATE_HZ, samplesToMs } from '../../src/core/audio/audio-format.ts';
import type { SessionConfig, TurnSettings } from './session-config.ts';
import { createHalver, createTurnFinder, type SpeechKernel } from './turn-finder.ts';

/** A step in the sound of a connection; times are ms since its first sound that was heard for turns. */
export type TurnStep =
  /** Somebody begins to speak; `pcm` is the sound of it that has come already. */
  | { readonly kind: 'started'; readonly atMs: number; readonly pcm: Uint8Array }
  /** Sound within a turn. */
  | { readonly kind: 'sound'; readonly pcm: Uint8Array }
  | { readonly kind: 'stopped'; readonly atMs: number };

/** The turns of a connection whose server finds them. */
export type Turns = ReturnType<typeof createTurns>;

/**
 * Hears 16-bit mono samples at `rateHz` for turns. `fromMs` is the sound that was heard before, by
 * one with other settings.
 */
export function createTurns(
  kernel: SpeechKernel,
  settings: TurnSettings,
  rateHz: SessionConfig['rateHz'],
  fromMs: number,
) {
  const finder = createTurnFinder(kernel, settings);
  const to16k = rateHz === SAMPLE_RATE_HZ ? (samples: Float32Array) => samples : createHalver();
  const frameBytes = 2 * Math.round((FRAME_SAMPLES * rateHz) / SAMPLE_RATE_HZ);
  /** A turn can reach back as long as that, and a frame. */
  const padMs = settings.prefixPaddingMs + 4 * samplesToMs(FRAME_SAMPLES);
  const mostBytesBefore = 2 * Math.ceil((padMs * rateHz) / 1_000);
  let isInTurn = false;
  /** The sound that a turn may yet begin in. */
  let before: Uint8Array[] = [];
  let heardBytes = 0;
  /** Half a sample. */
  let half = Buffer.alloc(0);

  const msAt = (sample: number) => Math.round(fromMs + samplesToMs(sample));

  function* hearFrame(pcm: Uint8Array): Generator<TurnStep> {
    if (isInTurn) yield { kind: 'sound', pcm };
    else before.push(pcm);
    heardBytes += pcm.length;
    for (const event of finder.accept(to16k(floatsOf(pcm)))) {
      if (event.kind === 'started') {
        isInTurn = true;
        yield { kind: 'started', atMs: msAt(event.startSample), pcm: soundFrom(event.startSample) };
        before = [];
      } else {
        isInTurn = false;
        yield { kind: 'stopped', atMs: msAt(event.endSample) };
      }
    }
    if (!isInTurn) forgetOld();
  }

  function soundFrom(startSample: number): Uint8Array {
    const sound = Buffer.concat(before);
    const startByte = 2 * Math.round((startSample * rateHz) / SAMPLE_RATE_HZ);
    return sound.subarray(Math.max(0, startByte - (heardBytes - sound.length)));
  }

  function forgetOld(): void {
    let bytes = before.reduce((sum, { length }) => sum + length, 0);
    let first = 0;
    for (; bytes - (before[first]?.length ?? 0) >= mostBytesBefore; first++) {
      bytes -= before[first]?.length ?? 0;
    }
    before = before.slice(first);
  }

  return {
    /** Takes sound in; gives what is to be done with it, in order. It may be left off in the middle. */
    *hear(audio: Uint8Array): Generator<TurnStep> {
      const whole = Buffer.concat([half, audio]);
      const even = whole.length - (whole.length % 2);
      half = Buffer.from(whole.subarray(even));
      for (let at = 0; at < even; at += frameBytes) {
        yield* hearFrame(whole.subarray(at, Math.min(even, at + frameBytes)));
      }
    },
    isInTurn: () => isInTurn,
    /** All sound that was heard for turns, in ms. */
    untilMs: () => fromMs + heardBytes / 2 / (rateHz / 1_000),
    dispose: () => finder.dispose(),
  };
}

/** Samples of 16 bits as numbers, -1..1. */
function floatsOf(pcm: Uint8Array): Float32Array {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  return Float32Array.from(
    { length: pcm.length >> 1 },
    (_, at) => view.getInt16(2 * at, true) / 32_768,
  );
}
