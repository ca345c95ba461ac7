import { assetAddresses } from '../assets/addresses.ts';
import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import { browserClock } from '../platform/browser-clock.ts';
import type { ScreenPorts } from './screen-hold.ts';

/** The part of `navigator.mediaDevices` for tabs; browsers on phones have no `getDisplayMedia`. */
export type TabSoundEdge = {
  getDisplayMedia?: MediaDevices['getDisplayMedia'];
  getSupportedConstraints?: MediaDevices['getSupportedConstraints'];
};

/** The part of `navigator.mediaDevices` that is used. */
export type MicrophoneEdge = Pick<MediaDevices, 'getUserMedia' | 'enumerateDevices'> & TabSoundEdge;

/** The browser's means to find and open microphones. */
export type MicrophonePorts = {
  /** Undefined where a page may not use microphones at all: one not served over https. */
  readonly mediaDevices: MicrophoneEdge | undefined;
  /** The microphone permission as it stands, without asking; rejects where it cannot be known. */
  queryPermission(): Promise<PermissionState>;
  /**
   * Each microphone is asked for by itself, and `granted` only says that some microphone could be
   * used once: Firefox says so after a permission for one time, too, and asks again.
   */
  readonly asksForEach: boolean;
  readonly clock: Clock;
  readonly log: Logger;
};

/** All that capture takes from the browser, so that a test can fake one edge of it. */
export type CapturePorts = MicrophonePorts & {
  /** For browsers that ask for each microphone by itself. */
  readonly remembered: RememberedMicrophone;
  createContext(): AudioContext;
  /**
   * Fulfilled when the answer to a press has been drawn: a context takes the page's thread for up
   * to 90 ms on a slow machine where the browser's audio service is not awake yet. Null where a
   * context must be made in the press itself.
   */
  readonly pressAnswered: (() => Promise<void>) | null;
  readonly screen: ScreenPorts;
  /** Address of the capture worklet's script. */
  readonly workletUrl: string;
  /** Address of the resampler's WASM. */
  readonly resamplerUrl: string;
};

/**
 * Nothing is played, so the browser need not wake up every 10 ms to fill its loudspeakers, nor every
 * 21 as with `playback`: 43 ms save 0.4 % of a core. 85 ms would save 0.3 % more, and bring the first
 * frame 100 ms later.
 */
const BUFFER_S = 0.043;

/**
 * Chromium's echo canceller gives 48 kHz, whatever the loudspeakers have. In a context of their
 * 44.1 kHz it would be resampled twice, and 44.1 to 16 kHz costs five times what 48 to 16 kHz does.
 * Other browsers' contexts have their own rate: some refuse a microphone of another.
 */
const CHROMIUM_RATE: AudioContextOptions = { sampleRate: 48_000 };

/** Chromium never frees an answer, so one is kept; it follows all changes. */
let keptPermission: PermissionStatus | null = null;

/** The browser itself. */
export function browserCapturePorts(): CapturePorts {
  const { worklet, resampler } = assetAddresses();
  const isChromium = 'userAgentData' in navigator;
  return {
    mediaDevices: globalThis.navigator.mediaDevices,
    async queryPermission() {
      const status = keptPermission ?? (await navigator.permissions.query({ name: 'microphone' }));
      if (isChromium) keptPermission = status;
      return status.state;
    },
    // Only Firefox does, and only Firefox has kept this old function.
    asksForEach: 'mozGetUserMedia' in navigator,
    remembered: rememberedMicrophone,
    log: console,
    clock: browserClock,
    createContext: () =>
      new AudioContext({ latencyHint: BUFFER_S, ...(isChromium && CHROMIUM_RATE) }),
    // In Chromium a page that has been pressed once may run a context at any time after.
    pressAnswered: isChromium ? whenDrawn : null,
    screen: { wakeLock: navigator.wakeLock, page: document },
    workletUrl: worklet,
    resamplerUrl: resampler,
  };
}

const KEY = 'diktera-microphone';

/**
 * The id of the preferred microphone that was heard last, from one load of the page to the next.
 * Firefox names no microphone before one has been allowed, so the first press would open another.
 */
type RememberedMicrophone = {
  /** Null when there is none, or nothing may be stored here. */
  read(): string | null;
  /** Null forgets. */
  write(deviceId: string | null): void;
};

/** Uses the browser's local storage, where that is allowed. */
const rememberedMicrophone: RememberedMicrophone = {
  read() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  },
  write(deviceId) {
    try {
      if (deviceId === null) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, deviceId);
    } catch {
      // Only the first press is worse without it.
    }
  },
};

/** A page that draws nothing, being hidden or slow, is not waited for. */
const DEADLINE_MS = 50;

/** Fulfilled when what has just changed on the page is drawn, or after 50 ms. */
export function whenDrawn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, DEADLINE_MS);
    // In a task of its own: the callback runs before the picture is drawn.
    requestAnimationFrame(() => setTimeout(resolve));
  });
}
