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

/**
 * Turns a microphone on: the one with `deviceId` if it is there, else as the spec chooses. With
 * permission given, names are known and the right one is opened at once; without, the browser's own
 * is opened first, and changed for the right one when the names have become known.
 *
 * Throws a DikteraError `microphone-*`, which is logged; nothing stays open.
 */
export async function openMicrophone(
  ports: MicrophonePorts,
  deviceId: string | null,
): Promise<OpenMicrophone> {
  try {
    const mediaDevices = requireMediaDevices(ports);
    // Both at once: the list takes longer, and is needed at once if permission is given.
    const listing = listMicrophones(mediaDevices);
    if (await isMicrophoneGranted(ports)) return await openKnown(mediaDevices, listing, deviceId);
    listing.catch(() => {});
    const first = await openDevice(mediaDevices, deviceId);
    return await changeForBetter(ports, mediaDevices, first, deviceId);
  } catch (thrown) {
    const error = toMicrophoneError(thrown);
    logMicrophoneError(error, ports.log);
    throw error;
  }
}

async function openKnown(
  mediaDevices: MicrophoneEdge,
  listing: Promise<MicrophoneDevice[]>,
  deviceId: string | null,
): Promise<OpenMicrophone> {
  const device = chooseMicrophone(await listing, deviceId);
  if (device === null) throw noMicrophoneError();
  return openDevice(mediaDevices, device.deviceId);
}

/**
 * The microphone that is wanted by id or by name, if it is another one. The first of the list alone
 * is no reason to change: the person may have picked this one in the browser's prompt. If the other
 * one fails, the one that works stays.
 */
async function changeForBetter(
  ports: MicrophonePorts,
  mediaDevices: MicrophoneEdge,
  open: OpenMicrophone,
  deviceId: string | null,
): Promise<OpenMicrophone> {
  try {
    const wanted = chooseMicrophone(await listMicrophones(mediaDevices), deviceId);
    if (wanted === null || wanted.deviceId === open.device.deviceId) return open;
    if (wanted.deviceId !== deviceId && !isPreferredMicrophone(wanted)) return open;
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
