import { DikteraError, type ErrorCode } from '../core/errors.ts';
import { LOG_MESSAGES } from '../core/log-messages.ts';
import type { Logger } from '../core/logger.ts';

type MicrophoneErrorCode = Extract<ErrorCode, `microphone-${string}`>;

/**
 * What `getUserMedia` means by its exceptions (Media Capture and Streams, section 10.2; a
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

/** Whether somebody, or the page around this one, has said no: asking for another is no use. */
export function isDenied(thrown: unknown): boolean {
  const { code } = toMicrophoneError(thrown);
  return code === 'microphone-denied' || code === 'microphone-framed';
}

type FeaturePolicy = { allowsFeature(feature: string): boolean };

/**
 * Whether this page stands in a frame that was not given the microphone. Firefox and Safari do not
 * tell: there it is so, most likely, where the page around is another origin's.
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

/** Writes the spec's words, or the error's, and the browser's own exception after them. */
export function logMicrophoneError(error: DikteraError, log: Logger): void {
  log.error(error.message, error.cause ?? '');
}

/** Whether the pinned device is what could not be had: unplugged, or its id has been changed. */
export function isOverconstrained(thrown: unknown): boolean {
  // OverconstrainedError is not a DOMException everywhere, so its name is all there is to go by.
  return thrown instanceof Object && 'name' in thrown && thrown.name === 'OverconstrainedError';
}
