import { chooseMicrophone, isPreferredMicrophone } from '../core/session/microphone-choice.ts';
import type { MicrophoneDevice } from '../core/session/snapshot.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { MicrophonePorts } from './capture-ports.ts';
import {
  isDenied,
  isMicrophoneGranted,
  isOverconstrained,
  listMicrophones,
  logMicrophoneError,
  noMicrophoneError,
  requireMediaDevices,
  stopStream,
  toMicrophoneError,
} from './microphones.ts';

/** A microphone that is on. */
export type OpenMicrophone = {
  readonly stream: MediaStream;
  readonly track: MediaStreamTrack;
  readonly device: MicrophoneDevice;
  /** The browser says that it did not have to ask for permission. */
  readonly wasGranted: boolean;
};

/**
 * Speech for a recogniser, as it is. Gain control pumps up pauses. Noise suppression takes parts of
 * words away: with it the engine misheard 2 of 4 clean clips, without it none of 4; the speech
 * model copes with noise by itself.
 */
const CONSTRAINTS: MediaTrackConstraints = {
  echoCancellation: true,
  noiseSuppression: false,
  autoGainControl: false,
  channelCount: { ideal: 1 },
};

/**
 * A microphone that nobody need be asked for and that does not come: a driver hangs, or another
 * program holds it.
 */
const GRANTED_DEADLINE_MS = 8_000;

type OpenDevice = Omit<OpenMicrophone, 'wasGranted'>;

/** The browser's list, held against a microphone that is on. */
type ChoiceCheck =
  | { readonly kind: 'stay' }
  /** Another one is the one to use; it is on already. */
  | { readonly kind: 'change'; readonly to: OpenMicrophone }
  /** Another one is, but the browser would ask for it now, in the middle of a sentence. */
  | { readonly kind: 'next-time'; readonly device: MicrophoneDevice }
  /** There is no microphone. */
  | { readonly kind: 'none' };

const STAY: ChoiceCheck = { kind: 'stay' };

/**
 * Turns a microphone on: the one with `deviceId`, else the one that is likely to be chosen
 * (`likelyId`; null for the browser's own). `checkChoice` finds out later if another one is wanted:
 * a list takes Chromium a process of its own, which is as long in coming as the microphone. Where each one is asked for by itself, a person who refuses the likely
 * one is not refused the one that they have allowed.
 * A caller's own stream (`given`) is taken for one, and nobody is asked: what is let go in the end
 * are clones of its tracks.
 *
 * Throws a DikteraError `microphone-*`, which is logged; nothing stays open.
 */
export async function openMicrophone(
  ports: MicrophonePorts,
  deviceId: string | null,
  likelyId: string | null = null,
  given?: MediaStream,
): Promise<OpenMicrophone> {
  try {
    if (given) {
      const live = given.getAudioTracks().filter(({ readyState }) => readyState === 'live');
      const own = new MediaStream(live.map((track) => track.clone()));
      return { ...describe(own), wasGranted: true };
    }
    // Asked before the answer to a prompt changes it.
    const granting = isMicrophoneGranted(ports);
    const open = await openDevice(ports, deviceId ?? likelyId, granting).catch((thrown) => {
      const isOffer = ports.asksForEach && deviceId === null && likelyId !== null;
      if (!isOffer || !isDenied(thrown)) throw thrown;
      return openDevice(ports, null, granting);
    });
    return { ...open, wasGranted: await granting };
  } catch (thrown) {
    const error = toMicrophoneError(thrown);
    logMicrophoneError(error, ports.log);
    throw error;
  }
}

/**
 * Asks the browser which microphones there are, and opens the one that is wanted by id, by name or
 * as the first, if it is another one. Where the browser has just asked, being the first is no
 * reason: the person may have picked this one in the prompt. Where each microphone is asked for by
 * itself, only the person's own choice is a reason to ask again. If the other one fails, which is
 * logged, the one that works stays. Never rejects.
 */
export async function checkChoice(
  ports: MicrophonePorts,
  open: OpenMicrophone,
  deviceId: string | null,
): Promise<ChoiceCheck> {
  try {
    const mediaDevices = requireMediaDevices(ports);
    const list = await listMicrophones(mediaDevices, ports.clock);
    const wanted = chooseMicrophone(list, deviceId);
    // Without permission some browsers list nothing.
    if (wanted === null) return open.wasGranted ? { kind: 'none' } : STAY;
    if (wanted.deviceId === open.device.deviceId) return STAY;
    const isPinned = wanted.deviceId === deviceId;
    const isReason = isPinned || isPreferredMicrophone(wanted);
    if (!isReason && (ports.asksForEach || !open.wasGranted)) return STAY;
    if (!isPinned && ports.asksForEach) return { kind: 'next-time', device: wanted };
    const better = await openDevice(ports, wanted.deviceId, Promise.resolve(open.wasGranted));
    return { kind: 'change', to: { ...better, wasGranted: true } };
  } catch (thrown) {
    ports.log.warn('The preferred microphone could not be opened', thrown);
    return STAY;
  }
}

/**
 * Opens a microphone and waits for the check: slower, and nothing is heard of the wrong one.
 * Throws as `openMicrophone`.
 */
export async function openBestMicrophone(
  ports: MicrophonePorts,
  deviceId: string | null,
  likelyId: string | null = null,
): Promise<OpenMicrophone> {
  const open = await openMicrophone(ports, deviceId, likelyId);
  const check = await checkChoice(ports, open, deviceId);
  if (check.kind === 'stay' || check.kind === 'next-time') return open;
  stopStream(open.stream);
  if (check.kind === 'change') return check.to;
  const error = noMicrophoneError();
  logMicrophoneError(error, ports.log);
  throw error;
}

/** Opens by id, or the browser's own for none; also when there is no device of that id any more. */
async function openDevice(
  ports: MicrophonePorts,
  deviceId: string | null,
  granting: Promise<boolean>,
): Promise<OpenDevice> {
  const pin = deviceId ? { deviceId: { exact: deviceId } } : {};
  try {
    return describe(await turnOn(ports, { ...CONSTRAINTS, ...pin }, granting));
  } catch (thrown) {
    if (!deviceId || !isOverconstrained(thrown)) throw thrown;
    return describe(await turnOn(ports, CONSTRAINTS, granting));
  }
}

/** As long as the browser may be asking the person, there is no end to it. */
async function turnOn(
  ports: MicrophonePorts,
  audio: MediaTrackConstraints,
  granting: Promise<boolean>,
): Promise<MediaStream> {
  const asked = requireMediaDevices(ports).getUserMedia({ audio });
  asked.catch(() => {}); // Heard below, and maybe not at once.
  if (ports.asksForEach || !(await granting)) return asked;
  return withDeadline(ports.clock, asked, GRANTED_DEADLINE_MS, () => {
    asked.then(stopStream, () => {});
    throw new DOMException('The microphone does not answer', 'NotReadableError');
  });
}

function describe(stream: MediaStream): OpenDevice {
  const [track] = stream.getAudioTracks();
  if (track === undefined) throw noMicrophoneError();
  const device = { deviceId: track.getSettings().deviceId ?? '', label: track.label };
  return { stream, track, device };
}
