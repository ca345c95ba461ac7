import {
  createLevelMeter,
  type LevelMeter,
  type LevelReading,
  type MeterOrder,
} from '../src/core/audio/level-meter.ts';
import type { CancelTimer, Clock } from '../src/core/clock.ts';
import type { ErrorInfo } from '../src/core/errors.ts';
import { isForReview, waitingState } from '../src/core/queue/queue-item.ts';
import {
  INITIAL_SNAPSHOT,
  type Notice,
  type NoticeKind,
  type QueueState,
  type SessionState,
  type Snapshot,
  type SnapshotEvent,
} from '../src/core/session/snapshot.ts';
import {
  diffSnapshots,
  reduceSnapshot,
  type SnapshotPatch,
} from '../src/core/session/snapshot-reducer.ts';

/** At most 20 snapshots a second. */
const MIN_INTERVAL_MS = 50;
/** Changes that only a meter would show wait so long for others: meters have ports of their own. */
const QUIET_INTERVAL_MS = 1_500;

/** Holds the worker's one snapshot and tells what changes. */
export type SnapshotPublisher = ReturnType<typeof createSnapshotPublisher>;

export function createSnapshotPublisher(clock: Clock) {
  let snapshot = INITIAL_SNAPSHOT;
  let published = INITIAL_SNAPSHOT;
  let lastPublishedMs = Number.NEGATIVE_INFINITY;
  let timer: { readonly dueMs: number; readonly cancel: CancelTimer } | null = null;
  /** True if events of this turn are still to be told; and whether they are quiet, all of them. */
  let isGathering = false;
  let isAllQuiet = true;
  const listeners = new Set<(patch: SnapshotPatch) => void>();

  const publish = (): void => {
    timer?.cancel();
    timer = null;
    if (published === snapshot) return;
    const patch = diffSnapshots(published, snapshot);
    published = snapshot;
    lastPublishedMs = clock.nowMs();
    for (const listener of listeners) listener(patch);
  };

  const publishInTime = (): void => {
    const isFirstSound = !hasHeard(published) && hasHeard(snapshot);
    const isQuiet = isAllQuiet && looksAlike(published, snapshot);
    isGathering = false;
    isAllQuiet = true;
    if (published === snapshot) return;
    const intervalMs = isQuiet ? QUIET_INTERVAL_MS : MIN_INTERVAL_MS;
    const dueMs = lastPublishedMs + intervalMs;
    const waitMs = dueMs - clock.nowMs();
    // A person waits for the first sound and for a phase; the rest may come together.
    if (isFirstSound || isOfOtherPhase(published, snapshot) || waitMs <= 0 || waitMs > intervalMs)
      publish();
    else if (!timer || dueMs < timer.dueMs) {
      timer?.cancel();
      timer = { dueMs, cancel: clock.after(waitMs, publish) };
    }
  };

  return {
    get snapshot(): Snapshot {
      return snapshot;
    },
    dispatch(event: SnapshotEvent) {
      const next = reduceSnapshot(snapshot, event);
      // No phase is left out, not even one that lasted for a part of a turn.
      if (isOfOtherPhase(published, snapshot) && isOfOtherPhase(snapshot, next)) publish();
      snapshot = next;
      isAllQuiet &&= QUIET_EVENTS.has(event.kind);
      if (isGathering) return;
      isGathering = true;
      // Changes of one turn belong together: a list that is empty and its notice that goes.
      queueMicrotask(publishInTime);
    },
    /** Tells `listener` the whole snapshot now, then what changes. */
    subscribe(listener: (patch: SnapshotPatch) => void) {
      publish();
      listeners.add(listener);
      listener(snapshot);
    },
  };
}

/** Events that come with every frame, or every few. */
const QUIET_EVENTS: ReadonlySet<SnapshotEvent['kind']> = new Set([
  'frame-processed',
  'ledger-changed',
]);

function isOfOtherPhase({ session: one }: Snapshot, { session: other }: Snapshot): boolean {
  return one.phase !== other.phase;
}

function hasHeard({ session }: Snapshot): boolean {
  return session.accumulatedRecordingMs > 0;
}

/** True if a person would see no difference: the clock shows whole seconds. */
function looksAlike({ session: one }: Snapshot, { session: other }: Snapshot): boolean {
  const second = ({ accumulatedRecordingMs }: SessionState) =>
    Math.floor(accumulatedRecordingMs / 1_000);
  return (
    one.isSpeaking === other.isSpeaking &&
    one.microphoneProblem === other.microphoneProblem &&
    second(one) === second(other)
  );
}

/** Notices about the queue; they follow from its state alone. */
export function queueNotices(queue: QueueState): readonly Notice[] {
  const states = queue.items.map((item) => item.state);
  const errors = states.flatMap((state) => waitingState(state)?.lastError ?? []);
  const refused = states.findLast((state) => state.kind === 'refused');
  const lastError = errors.at(-1) ?? null;
  const notices: Notice[] = [];
  if (queue.isUnauthorised) notices.push({ kind: 'uploads-unauthorised', error: lastError });
  else if (lastError) notices.push({ kind: 'upload-failed', error: lastError });
  if (refused) notices.push({ kind: 'chunk-refused', error: refused.error });
  if (states.some(isForReview)) notices.push({ kind: 'text-needs-review', error: null });
  return notices;
}

/**
 * Tells the queue's changes as events: a notice is raised when its cause is there, and cleared when
 * it is gone.
 */
export function createQueueReporter(dispatch: (event: SnapshotEvent) => void) {
  let raised = new Map<NoticeKind, ErrorInfo | null>();

  return {
    onChange(queue: QueueState) {
      dispatch({ kind: 'queue-changed', queue });
      const notices = new Map(queueNotices(queue).map(({ kind, error }) => [kind, error]));
      for (const notice of raised.keys()) {
        if (!notices.has(notice)) dispatch({ kind: 'notice-cleared', notice });
      }
      for (const [notice, error] of notices) {
        if (raised.get(notice) !== error) dispatch({ kind: 'notice-raised', notice, error });
      }
      raised = notices;
    },
    onStorage(error: ErrorInfo | null) {
      if (error) dispatch({ kind: 'notice-raised', notice: 'storage-failed', error });
      else dispatch({ kind: 'notice-cleared', notice: 'storage-failed' });
    },
  };
}

/** A message from the page that shows a meter. */
type MeterMessage = MeterOrder<OffscreenCanvas> | 'end';

type Meter = {
  readonly framesPerReading: number;
  readonly port: MessagePort;
  drawing: LevelMeter | null;
  /** The frames and the reading that it has not been sent yet. */
  frames: number;
  reading: LevelReading;
};

const NOTHING: LevelReading = { levelDbfs: Number.NEGATIVE_INFINITY, isSpeaking: false };

export function createLevelMeters() {
  const meters = new Set<Meter>();

  function obey(meter: Meter, message: MeterMessage): void {
    if (message === 'end') {
      meters.delete(meter);
      meter.port.close();
    } else if (message.kind === 'draw') meter.drawing = drawingOn(message);
    else meter.drawing?.recolour(message.colour);
  }

  function tellOne(meter: Meter, frame: LevelReading): void {
    meter.frames += 1;
    meter.reading = {
      levelDbfs: Math.max(meter.reading.levelDbfs, frame.levelDbfs),
      isSpeaking: meter.reading.isSpeaking || frame.isSpeaking,
    };
    if (meter.frames < meter.framesPerReading) return;
    if (meter.drawing) meter.drawing.show(meter.reading);
    else meter.port.postMessage(meter.reading);
    meter.frames = 0;
    meter.reading = NOTHING;
  }

  return {
    /**
     * Sends the port a reading of every `framesPerReading` frames; once it brings a canvas, the
     * meter is drawn there instead, until it brings `end`.
     */
    add(port: MessagePort, framesPerReading: number) {
      // The first frame is sent at once, to show that the microphone is heard.
      const frames = framesPerReading - 1;
      const meter: Meter = { framesPerReading, port, drawing: null, frames, reading: NOTHING };
      meters.add(meter);
      port.onmessage = ({ data }: MessageEvent<MeterMessage>) => obey(meter, data);
    },
    /** Takes a frame's reading. */
    tell(reading: LevelReading) {
      for (const meter of meters) tellOne(meter, reading);
    },
  };
}

/** Drawn by the processor: frames on their way to the disk must not wait for a graphics driver. */
function drawingOn(order: Extract<MeterOrder<OffscreenCanvas>, { kind: 'draw' }>) {
  const pen = order.canvas.getContext('2d', { willReadFrequently: true });
  return pen && createLevelMeter(pen, order.scale, order.colour);
}
