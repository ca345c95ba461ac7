import { expect } from 'vitest';
import { createMicrophoneCapture } from '../../src/capture/capture.ts';
import type { CapturePorts } from '../../src/capture/capture-ports.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { CaptureChange, CaptureRequest } from '../../src/core/contracts/capture-port.ts';
import type { DikteraError } from '../../src/core/errors.ts';
import { watchedPorts } from './capture-edges.ts';
import { collectFrames } from './collect-frames.ts';

/** Chromium's fake microphone into a real worker, through the real graph and worklet. */
export async function openCapture(
  fakes: Partial<CapturePorts> = {},
  wanted: Partial<Pick<CaptureRequest<MessagePort>, 'deviceId' | 'tabSound'>> = {},
) {
  const watched = watchedPorts(fakes);
  const collector = collectFrames();
  const lost: DikteraError[] = [];
  const changes: CaptureChange[] = [];
  /** One entry for each worklet that took the recording over. */
  const rebuilt: number[] = [];
  const handle = await createMicrophoneCapture(watched.ports).open({
    deviceId: null,
    ...wanted,
    framePort: collector.framePort,
    onLost: (error) => lost.push(error),
    onChange: (change) => changes.push(change),
    onRebuilt: () => rebuilt.push(rebuilt.length + 1),
  });
  return { watched, collector, lost, changes, rebuilt, handle, context: watched.contexts[0]! };
}

/** Until the context's own clock, which counts the audio rendered, has gone on so far. */
export async function untilRendered(context: AudioContext, seconds: number): Promise<void> {
  const goal = context.currentTime + seconds;
  await expect.poll(() => context.currentTime, { timeout: 5_000 }).toBeGreaterThan(goal);
}

/** The browser's time, but that a wait of just so long takes 10 ms. */
export function hurried(...delaysMs: readonly number[]): Clock {
  return {
    nowMs: () => Date.now(),
    after(delayMs, run) {
      const timer = setTimeout(run, delaysMs.includes(delayMs) ? 10 : delayMs);
      return () => clearTimeout(timer);
    },
  };
}

/** Nobody waits 2 s for another microphone. */
export const impatient = hurried(2_000);
