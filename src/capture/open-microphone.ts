import { chooseMicrophone, isPreferredMicrophone } from '../core/microphone-choice.ts';
import type { MicrophoneDevice } from '../core/snapshot.ts';
import type { MicrophoneEdge, MicrophonePorts } from './capture-ports.ts';
import {
  isOverconstrained,
  logMicrophoneError,
  noMicrophoneError,
  toMicrophoneError,
} from './microphone-errors.ts';
import {
  isMicrophoneGranted,
  listMicrophones,
  requireMediaDevices,
  stopStream,
} from './microphones.ts';

/** A microphone that is on. */
export type OpenMicrophone = {
  readonly stream: MediaStream;
  readonly track: MediaStreamTrack;
  readonly device: MicrophoneDevice;
};

/**
 * Speech for a recogniser, as it is. Gain control pumps up pauses. Noise suppression takes parts of
 * words away: with it the engine misheard 2 of 4 clean clips, without it none of 4; the speech model
 * copes with noise by itself.
 */
const CONSTRAINTS: MediaTrackConstraints = {
  echoCancellation: true,
  noiseSuppression: false,
  autoGainControl: false,
  channelCount: { ideal: 1 },
};

/** What is known of the microphones before they are asked for. */
export type MicrophoneHint = {
  /** The one that a list named last time; null for the browser's own. */
  readonly likelyId: string | null;
  /** A list that has been asked for and has not come yet; null to ask for one. */
  readonly listing: Promise<MicrophoneDevice[]> | null;
};

const NO_HINT: MicrophoneHint = { likelyId: null, listing: null };

/**
 * Turns a microphone on: the one with `deviceId` if it is there, else as the spec chooses. Opening begins at once,
 * with the one that is likely to be chosen, and the list comes meanwhile; if it says otherwise, the microphone is changed before anything is heard.
 *
 * Throws a DikteraError `microphone-*`, which is logged; nothing stays open.
 */
export async function openMicrophone(
  ports: MicrophonePorts,
  deviceId: string | null,
  hint: MicrophoneHint = NO_HINT,
): Promise<OpenMicrophone> {
  try {
    const mediaDevices = requireMediaDevices(ports);
    const opening = openDevice(mediaDevices, deviceId ?? hint.likelyId);
    // Names are known before the opening only with permission.
    const listing = hint.listing ?? listMicrophones(mediaDevices);
    listing.catch(() => {});
    const wasGranted = isMicrophoneGranted(ports);
    const open = await opening;
    const known = { wasGranted: await wasGranted, listing };
    if (known.wasGranted && (await listing.catch(() => null))?.length === 0) {
      stopStream(open.stream);
      throw noMicrophoneError();
    }
    return await changeForBetter(ports, mediaDevices, open, deviceId, known);
  } catch (thrown) {
    const error = toMicrophoneError(thrown);
    logMicrophoneError(error, ports.log);
    throw error;
  }
}

/**
 * The microphone that is wanted by id, by name or as the first, if it is another one. Where the browser has just
 * asked, being the first is no reason: the person may have picked this one in the prompt. If the other one fails,
 * the one that works stays.
 */
async function changeForBetter(
  ports: MicrophonePorts,
  mediaDevices: MicrophoneEdge,
  open: OpenMicrophone,
  deviceId: string | null,
  known: { readonly wasGranted: boolean; readonly listing: Promise<MicrophoneDevice[]> },
): Promise<OpenMicrophone> {
  try {
    const list = await (known.wasGranted ? known.listing : listMicrophones(mediaDevices));
    const wanted = chooseMicrophone(list, deviceId);
    if (wanted === null || wanted.deviceId === open.device.deviceId) return open;
    const isReason = wanted.deviceId === deviceId || isPreferredMicrophone(wanted);
    if (!known.wasGranted && !isReason) return open;
    const better = await openDevice(mediaDevices, wanted.deviceId);
    stopStream(open.stream);
    return better;
  } catch (thrown) {
    ports.log.warn('The preferred microphone could not be opened', thrown);
    return open;
  }
}

/** Opens by id, or the browser's own for none; also when there is no device of that id any more. */
async function openDevice(
  mediaDevices: MicrophoneEdge,
  deviceId: string | null,
): Promise<OpenMicrophone> {
  const pin = deviceId ? { deviceId: { exact: deviceId } } : {};
  try {
    return describe(await mediaDevices.getUserMedia({ audio: { ...CONSTRAINTS, ...pin } }));
  } catch (thrown) {
    if (!deviceId || !isOverconstrained(thrown)) throw thrown;
    return describe(await mediaDevices.getUserMedia({ audio: CONSTRAINTS }));
  }
}

function describe(stream: MediaStream): OpenMicrophone {
  const [track] = stream.getAudioTracks();
  if (track === undefined) throw noMicrophoneError();
  const device = { deviceId: track.getSettings().deviceId ?? '', label: track.label };
  return { stream, track, device };
}
