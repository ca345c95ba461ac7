import type { CancelTimer, Clock } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { MicrophoneDevice } from '../core/session/snapshot.ts';
import { withDeadline } from '../platform/deadline.ts';
import { browserCapturePorts, type MicrophoneEdge } from './capture-ports.ts';
import { listMicrophones, requestMicrophonePermission } from './microphones.ts';
import { canRecordTabSound } from './tab-sound.ts';

/** One plug makes several events. */
const SETTLE_MS = 250;

/** The list is shown without knowing the permission, if that takes longer. */
const PERMISSION_DEADLINE_MS = 1_000;

/** The page's permission to use microphones; `unknown` where the browser does not tell. */
type MicrophonePermission = PermissionState | 'unknown';

/** The microphones there are now. Labels are empty until permission is given. */
export type MicrophoneListState = {
  readonly devices: readonly MicrophoneDevice[];
  readonly permission: MicrophonePermission;
};

/**
 * The microphones as they come and go, for a menu. Reads nothing until it is first subscribed to.
 */
export type MicrophoneList = ReturnType<typeof createMicrophoneList>;

type MicrophoneListPorts = {
  readonly mediaDevices: (MicrophoneEdge & Partial<EventTarget>) | undefined;
  /** The permission, which changes; rejects where it cannot be known. */
  queryPermission(): Promise<PermissionStatus>;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Follows the browser's microphones, or those given. */
export function createMicrophoneList(ports: MicrophoneListPorts = browserListPorts()) {
  const { mediaDevices, clock } = ports;
  const listeners = new Set<() => void>();
  let state: MicrophoneListState = { devices: [], permission: 'unknown' };
  let status: PermissionStatus | null = null;
  let cancelRead: CancelTimer = () => {};
  let isFollowing = false;

  async function read(): Promise<void> {
    const devices = mediaDevices ? await listMicrophones(mediaDevices, clock).catch(() => []) : [];
    const next: MicrophoneListState = { devices, permission: status?.state ?? 'unknown' };
    if (isSame(state, next)) return;
    state = next;
    for (const listener of listeners) listener();
  }

  function readSoon(): void {
    cancelRead();
    cancelRead = clock.after(SETTLE_MS, () => void read());
  }

  /** Follows from the first listener on, for good: a page has one list. */
  async function follow(): Promise<void> {
    mediaDevices?.addEventListener?.('devicechange', readSoon);
    // Not waited for: the list has its own use.
    const asked = ports.queryPermission().then(
      (answer) => {
        status = answer;
        status.addEventListener('change', readSoon);
      },
      () => {}, // The refusal shows when a microphone is asked for.
    );
    let isLate = false;
    await withDeadline(clock, asked, PERMISSION_DEADLINE_MS, () => {
      isLate = true;
    });
    await read();
    if (isLate) void asked.then(read);
  }

  return {
    getState: (): MicrophoneListState => state,
    /** Calls `listener` after each change; the answer ends that. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      if (!isFollowing) {
        isFollowing = true;
        void follow();
      }
      return () => listeners.delete(listener);
    },
    /** Asks for permission through the browser's prompt. False when refused, which is logged. */
    async requestPermission(): Promise<boolean> {
      const isGranted = await requestMicrophonePermission(ports);
      await read();
      return isGranted;
    },
    /**
     * A microphone is heard, so all have names now. Firefox sends no event for that when it has
     * called the permission given before.
     */
    microphoneHeard() {
      if (isFollowing && !hasNames(state)) readSoon();
    },
    hasTabSound: canRecordTabSound(mediaDevices),
  };
}

function browserListPorts(): MicrophoneListPorts {
  const { mediaDevices, clock, log } = browserCapturePorts();
  return {
    mediaDevices,
    clock,
    log,
    queryPermission: () => navigator.permissions.query({ name: 'microphone' }),
  };
}

/** True if the microphones have names, as they do once one has been allowed. */
export function hasNames({ devices }: Pick<MicrophoneListState, 'devices'>): boolean {
  return devices.some(({ label }) => label !== '');
}

function isSame(one: MicrophoneListState, other: MicrophoneListState): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
