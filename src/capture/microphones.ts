import type { Clock } from '../core/clock.ts';
import { DikteraError, type ErrorCode } from '../core/errors.ts';
import { LOG_MESSAGES, type Logger } from '../core/logger.ts';
import type { MicrophoneDevice } from '../core/session/snapshot.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { MicrophoneEdge, MicrophonePorts } from './capture-ports.ts';

/** The longest wait for the browser's list: Chromium starts a process for it. */
const LIST_DEADLINE_MS = 5_000;

/** The longest wait for the permission, which it knows already. */
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
 * True if the microphone may be used without asking; false where that cannot be known within a
 * second.
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

type MicrophoneErrorCode = Extract<ErrorCode, `microphone-${string}`>;

/**
 * The meaning of the exceptions of `getUserMedia` (Media Capture and Streams, section 10.2; a
 * SecurityError is a page that may not ask).
 */
const CODES: Readonly<Record<string, MicrophoneErrorCode>> = {
  NotAllowedError: 'microphone-denied',
  SecurityError: 'microphone-denied',
  NotFoundError: 'microphone-missing',
  NotReadableError: 'microphone-busy',
};

const MESSAGES: Readonly<Partial<Record<MicrophoneErrorCode, string>>> = {
  'microphone-denied': 'Microphone permission denied',
  'microphone-framed':
    'Microphone permission denied: the page around this frame must have allow="microphone"',
  'microphone-missing': LOG_MESSAGES.noMicrophone,
  'microphone-busy': 'The microphone is held by another program or does not answer',
};

/** The one place where the browser's exceptions become ours; the exception is the cause. */
export function toMicrophoneError(thrown: unknown): DikteraError {
  if (thrown instanceof DikteraError) return thrown;
  const known = (thrown instanceof DOMException && CODES[thrown.name]) || 'microphone-failed';
  const code = known === 'microphone-denied' && isFramedOut() ? 'microphone-framed' : known;
  const detail = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const message = MESSAGES[code] ?? `The microphone could not be opened: ${detail}`;
  return new DikteraError(code, message, { cause: thrown });
}

/** True if the person, or the page around this one, has said no: asking for another is no use. */
export function isDenied(thrown: unknown): boolean {
  const { code } = toMicrophoneError(thrown);
  return code === 'microphone-denied' || code === 'microphone-framed';
}

type FeaturePolicy = { allowsFeature(feature: string): boolean };

/**
 * True if this page stands in a frame that was not given the microphone. Firefox and Safari do not
 * tell: there it is most likely so where the page around is another origin's.
 */
function isFramedOut(): boolean {
  if (window.parent === window) return false;
  const { featurePolicy } = document as Document & { readonly featurePolicy?: FeaturePolicy };
  if (featurePolicy) return !featurePolicy.allowsFeature('microphone');
  try {
    return window.parent.document === null;
  } catch {
    return true;
  }
}

/** For a computer without any microphone. */
export function noMicrophoneError(): DikteraError {
  return new DikteraError('microphone-missing', LOG_MESSAGES.noMicrophone);
}

/** Logs the error's words, and the browser's own exception after them. */
export function logMicrophoneError(error: DikteraError, log: Logger): void {
  log.error(error.message, error.cause ?? '');
}

/** True if the pinned device could not be had: unplugged, or its id has been changed. */
export function isOverconstrained(thrown: unknown): boolean {
  // OverconstrainedError is not a DOMException everywhere, so its name is all there is to go by.
  return thrown instanceof Object && 'name' in thrown && thrown.name === 'OverconstrainedError';
}

/** Lets a stream's devices go: the microphone's light goes out. */
export function stopStream(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
