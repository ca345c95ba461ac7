import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../src/core/audio/audio-format.ts';
import {
  type FrameMark,
  type FrameMessage,
  RECYCLED_TOGETHER,
} from '../src/core/audio/frame-protocol.ts';
import { toPcm16Value } from '../src/core/audio/samples.ts';

/**
 * A worker that takes over can ask for the last 60 s: a dead one is replaced within 10 s, and a machine
 * that sleeps or swaps may take a few times that. 1.9 MB.
 */
const KEPT_SAMPLES = 60 * SAMPLE_RATE_HZ;

/**
 * Marks kept at most: one for each press of a button, and for each loss on a machine that stutters.
 */
const KEPT_MARKS = 4_096;

/** Frames sent at a time while catching up: 60 s take 0.2 s, and no block waits for them. */
const CATCH_UP_FRAMES = RECYCLED_TOGETHER;

/**
 * Sends a message. The transfer list names memory that goes with it. Both objects are used again
 * for the next frame, so they must be copied or cloned before it returns.
 */
export type PostFrame = (message: FrameMessage, transfer: ArrayBuffer[]) => void;

/**
 * A recording as a stream of messages, the last 60 s of which can be sent again. Frames are cut
 * where they are sent, out of the ring: so the frame being filled is no different from any other.
 */
export type FrameStream = ReturnType<typeof createFrameStream>;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type Frame = Writable<Extract<FrameMessage, { kind: 'frame' }>>;

const NOTHING: ArrayBuffer[] = [];

/** Makes a stream that sends to nobody yet, and begins at `startSample`. */
export function createFrameStream(pool: FramePool, keptSamples = KEPT_SAMPLES, startSample = 0) {
  const ring = createSampleRing(keptSamples, startSample);
  const marks: FrameMark[] = [];
  let post: PostFrame | null = null;
  /** The next sample and the next mark to be sent. */
  let cursor = startSample;
  let markIndex = 0;
  let isCatchingUp = false;

  const frame: Frame = { kind: 'frame', startSample: 0, pcm: new Int16Array(0) };
  const transfer: ArrayBuffer[] = [];

  function sendFrame(to: PostFrame, samples: number): void {
    // Exact memory for a short one: a view would bring the rest of its buffer along.
    const memory = samples === FRAME_SAMPLES ? pool.take() : new Int16Array(samples);
    ring.read(cursor, memory);
    frame.startSample = cursor;
    frame.pcm = memory;
    transfer[0] = memory.buffer;
    cursor += samples;
    to(frame, transfer);
  }

  /** Where the next frame must end at the latest: at a mark that is no gap. */
  function stopSample(): number {
    for (let i = markIndex; i < marks.length; i++) {
      const mark = marks[i];
      if (mark !== undefined && mark.kind !== 'gap') return mark.atSample;
    }
    return Number.POSITIVE_INFINITY;
  }

  /** False if there is nothing to send yet. */
  function sendNext(to: PostFrame): boolean {
    const endSample = Math.min(cursor + FRAME_SAMPLES, stopSample());
    const mark = marks[markIndex];
    // A gap goes before the frame it lies in, any other mark behind the frame that it ends.
    if (mark !== undefined && mark.atSample <= (mark.kind === 'gap' ? endSample : cursor)) {
      markIndex += 1;
      to(mark, NOTHING);
      return true;
    }
    if (endSample > ring.positionSamples) return false;
    sendFrame(to, endSample - cursor);
    return true;
  }

  function send(most: number): void {
    let left = most;
    while (post !== null && left > 0 && sendNext(post)) left -= 1;
    if (left > 0) isCatchingUp = false;
  }

  function pump(): void {
    send(isCatchingUp ? CATCH_UP_FRAMES : Number.POSITIVE_INFINITY);
  }

  return {
    /** Adds the first `count` samples of `samples`; sends the frames that are full. */
    push(samples: Float32Array, count: number) {
      ring.push(samples, count);
      pump();
    },
    /** Adds a mark. A frame is never sent over a mark other than `gap`: it ends there, shorter. */
    mark(mark: FrameMark) {
      marks.push(mark);
      if (marks.length > KEPT_MARKS) {
        marks.shift();
        markIndex = Math.max(0, markIndex - 1);
      }
      pump();
    },
    /** Sends everything from `fromSample` on, a little at each `pump`, then what comes. */
    sendFrom(fromSample: number, to: PostFrame) {
      post = to;
      cursor = Math.min(Math.max(fromSample, ring.oldestSample), ring.positionSamples);
      const firstMark = marks.findIndex(({ atSample }) => atSample >= cursor);
      markIndex = firstMark === -1 ? marks.length : firstMark;
      isCatchingUp = true;
      const lostSamples = cursor - fromSample;
      if (lostSamples > 0) to({ kind: 'lost', atSample: cursor, lostSamples }, NOTHING);
      pump();
    },
    /** Sends nothing until `sendFrom`. */
    halt() {
      post = null;
    },
    /** Goes on catching up; harmless when there is nothing to send. */
    pump,
    /** Sends all that can be sent, at once: nobody will pump any more. */
    flush() {
      send(Number.POSITIVE_INFINITY);
    },
    /** The index of the next sample. */
    get positionSamples(): number {
      return ring.positionSamples;
    },
  };
}

/**
 * The latest `capacitySamples` of a recording as 16-bit PCM, by the index of its samples from
 * `startSample` on. Allocates nothing after it has been made.
 */
function createSampleRing(capacitySamples: number, startSample = 0) {
  const kept = new Int16Array(capacitySamples);
  let position = startSample;

  return {
    /** Adds the first `count` of `samples`, from -1 to 1; the oldest go to make room. */
    push(samples: Float32Array, count: number) {
      // Not `set`, which would need a view, and so make garbage, for each block.
      let at = position % capacitySamples;
      for (let i = 0; i < count; i++) {
        kept[at] = toPcm16Value(samples[i] ?? 0);
        at = at + 1 === capacitySamples ? 0 : at + 1;
      }
      position += count;
    },
    /** Fills `into` with what begins at `startSample`: all of it must lie between the two ends. */
    read(startSample: number, into: Int16Array) {
      let at = startSample % capacitySamples;
      for (let i = 0; i < into.length; i++) {
        into[i] = kept[at] ?? 0;
        at = at + 1 === capacitySamples ? 0 : at + 1;
      }
    },
    /** The index of the oldest sample kept. */
    get oldestSample(): number {
      return Math.max(startSample, position - capacitySamples);
    },
    /** The index of the next sample. */
    get positionSamples(): number {
      return position;
    },
  };
}

const FRAME_BYTES = FRAME_SAMPLES * Int16Array.BYTES_PER_ELEMENT;

/** Memory for frames, used again and again, so that the audio thread makes no garbage. */
export type FramePool = ReturnType<typeof createFramePool>;

/** A pool that begins with `frames` frames and never holds more. 16 are 1.5 s, at 3 kB each. */
export function createFramePool(frames = 16) {
  const free = Array.from({ length: frames }, () => new Int16Array(FRAME_SAMPLES));
  return {
    /** Memory for one frame. Allocated only when all the pool's memory is with the worker. */
    take: (): Int16Array<ArrayBuffer> => free.pop() ?? new Int16Array(FRAME_SAMPLES),
    /**
     * Takes memory back. A buffer that is not a frame's, or one too many, is left to the garbage
     * collector.
     */
    give(buffer: ArrayBuffer) {
      if (buffer.byteLength === FRAME_BYTES && free.length < frames) {
        free.push(new Int16Array(buffer));
      }
    },
    /** Frames ready to be taken. */
    get freeFrames(): number {
      return free.length;
    },
  };
}
