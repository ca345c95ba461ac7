import type { MicrophoneList } from '../../src/capture/microphone-list.ts';

const STATE = { devices: [], permission: 'unknown' } as const;

/** A computer without a microphone, for tests of the page that need none. */
export const NO_MICROPHONES: MicrophoneList = {
  getState: () => STATE,
  subscribe: () => () => {},
  microphoneHeard: () => {},
  requestPermission: async () => false,
  hasTabSound: false,
};
