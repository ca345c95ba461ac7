import type { Clock } from '../core/clock.ts';
import { DikteraError } from '../core/errors.ts';
import type { MicrophoneDevice } from '../core/session/snapshot.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { MicrophoneEdge, MicrophonePorts } from './capture-ports.ts';
import { logMicrophoneError, toMicrophoneError } from './microphone-errors.ts';
import { stopStream } from './stop-stream.ts';

/** How long the browser may take to list what it has: Chromium starts a process for it. */
const LIST_DEADLINE_MS = 5_000;

/** The same for what it knows already. */
const PERMISSION_DEADLINE_MS = 1_000;

/**
 * The audio inputs, in the browser's order. Until permission has been given, labels and ids are
 * empty, and there may be one nameless entry for all. Rejects if there is no list within 5 s.
 */
export async function listMicrophones(
  mediaDevices: Pick<MicrophoneEdge, 'enumerateDevices'>,
  clock: Clock,
): Promise<MicrophoneDevice[]> {
  const listed = mediaDevices.enumerateDevices();
  const devices = await withDeadline(clock, listed, LIST_DEADLINE_MS, () => {
    throw new DOMException('The browser does not list its devices', 'TimeoutError');
  });
  return devices
    .filter((device) => device.kind === 'audioinput')
    .map(({ deviceId, label }) => ({ deviceId, label }));
}

/**
 * Whether the microphone may be used without asking. Where that cannot be known, or not within a
 * second: false.
 */
export async function isMicrophoneGranted(
  ports: Pick<MicrophonePorts, 'queryPermission' | 'clock'>,
): Promise<boolean> {
  const { clock } = ports;
  try {
    const asked = ports.queryPermission();
    return (await withDeadline(clock, asked, PERMISSION_DEADLINE_MS, () => 'prompt')) === 'granted';
  } catch {
    // Firefox before 132 does not know this permission and says so by throwing.
    return false;
  }
}

/**
 * Asks for the microphone through the browser's prompt and lets it go again. False when it was
 * denied or none could be opened, which is logged. Never rejects.
 */
export async function requestMicrophonePermission(
  ports: Pick<MicrophonePorts, 'mediaDevices' | 'log'>,
): Promise<boolean> {
  try {
    const stream = await requireMediaDevices(ports).getUserMedia({ audio: true });
    stopStream(stream);
    return true;
  } catch (thrown) {
    logMicrophoneError(toMicrophoneError(thrown), ports.log);
    return false;
  }
}

/** Throws `insecure-page` where the browser has no microphones for the page. */
export function requireMediaDevices({
  mediaDevices,
}: Pick<MicrophonePorts, 'mediaDevices'>): MicrophoneEdge {
  if (mediaDevices !== undefined) return mediaDevices;
  throw new DikteraError('insecure-page', 'Microphones need a page served over https');
}
