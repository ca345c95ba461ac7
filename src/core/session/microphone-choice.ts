import type { MicrophoneDevice } from './snapshot.ts';

/** Label parts of the microphones to prefer, in lower case. */
const PREFERRED_LABEL_PARTS = ['jabra speak', 'tonor'] as const;

/** True for a microphone made for dictation, by its label in any case. */
export function isPreferredMicrophone(device: MicrophoneDevice): boolean {
  const label = device.label.toLowerCase();
  return PREFERRED_LABEL_PARTS.some((part) => label.includes(part));
}

/**
 * Which microphone to use: `pinnedId` if it is there, else the first preferred one, else the first,
 * else none (null).
 */
export function chooseMicrophone(
  devices: readonly MicrophoneDevice[],
  pinnedId: string | null = null,
): MicrophoneDevice | null {
  return (
    devices.find((device) => device.deviceId === pinnedId) ??
    devices.find(isPreferredMicrophone) ??
    devices[0] ??
    null
  );
}
