import { assertNever } from '../assert-never.ts';
import { FRAME_SAMPLES, SAMPLE_RATE_HZ, type SampleRange } from '../audio/audio-format.ts';
import { DikteraError } from '../errors.ts';
import {
  chooseCutPosition,
  concatPieces,
  countSamples,
  pieceEnd,
  pieceRanges,
  type SpeechPiece,
  splitAtSample,
  splitPiece,
  takeSamples,
} from './speech-piece.ts';

/** Speech that is a chunk, or will be one. */
export type OpenChunk = {
  /** Place in the session, from 0; transcripts are joined in this order. */
  readonly number: number;
  /** Where the audio lies in the session: whole segments, or parts of one that did not pause. */
  readonly ranges: readonly SampleRange[];
  /** The ranges' audio, one after the other: 16 kHz mono. */
  readonly samples: Float32Array;
  /** The number of them in frames detected as speech, or kept without an engine. */
  readonly speechSamples: number;
};

/** Cut speech on its way to becoming text: at most `chunkMs` long. */
export type SpeechChunk = OpenChunk & {
  /** True if the cut went through speech: the segment at its end goes on behind it. */
  readonly endsInSpeech: boolean;
};

const DEFAULT_SEARCH_SAMPLES = 10 * SAMPLE_RATE_HZ;

/** The limits at which a cutter cuts. */
export type ChunkLimits = {
  /** The most samples a chunk may hold; at least 2. 1,440,000 are 90 s. */
  readonly maxChunkSamples: number;
  /**
   * A quiet place is looked for so many samples before the limit; never more than half a chunk.
   * @default 160000 (10 s)
   */
  readonly searchSamples?: number;
  /**
   * Each pause ends a chunk, as soon as it holds so many samples in frames of speech; shorter
   * segments go on in the next. @default none does
   */
  readonly pauseEndsFromSamples?: number;
};

type ChunkCutterOptions = ChunkLimits & {
  /** Frames before the onset that may belong to a segment (the gate's `preSpeechPadFrames`). */
  readonly preSpeechPadFrames: number;
  /** Frames at or above this probability count as speech. */
  readonly positiveSpeechThreshold: number;
  /** The first chunk's number: above 0 where a recovery goes on with a session. @default 0 */
  readonly firstNumber?: number;
};

/** A recorded frame with its probability. */
type InferredFrame = {
  readonly startSample: number;
  /** 16-bit PCM. Kept, not copied: never written to again. */
  readonly pcm: Int16Array;
  readonly probability: number;
  readonly levelDbfs: number;
};

/**
 * A finding of the speech gate. `segment-ended` and `misfire` end what `speech-started` began.
 */
type SpeechEvent =
  | { readonly kind: 'speech-started'; readonly startSample: number }
  | { readonly kind: 'segment-ended'; readonly range: SampleRange }
  | { readonly kind: 'misfire'; readonly range: SampleRange };

type Known = { readonly pieces: number; readonly ranges: readonly SampleRange[] };

const NOTHING_KNOWN: Known = { pieces: 0, ranges: [] };

/** Collects speech and cuts it into chunks. */
export type ChunkCutter = ReturnType<typeof createChunkCutter>;

/**
 * Cuts a session's speech into chunks of at most `maxChunkSamples`: as soon as that much has
 * accumulated, at the quietest place before the limit (see `chooseCutPosition`). Audio after it
 * begins the next chunk, so no sample is lost or doubled. A misfire's audio is discarded, except
 * what had already been cut. Throws `bad-option` if a chunk could hold nothing.
 */
export function createChunkCutter(options: ChunkCutterOptions) {
  let { window, pauseEndsFromSamples } = checked(options);
  const preRoll = createPreRoll((options.preSpeechPadFrames + 1) * FRAME_SAMPLES);

  /**
   * Finished segments, then the running one, which begins at `runningFrom` (null: nobody speaks).
   */
  let pieces: SpeechPiece[] = [];
  let runningFrom: number | null = null;
  let accumulatedSamples = 0;
  let cutSamples = 0;
  let nextNumber = options.firstNumber ?? 0;
  /** The ranges of the first so many pieces, since they are asked for with each frame. */
  let known: Known = NOTHING_KNOWN;

  /** True if the audio behind the last cut belongs to a segment that began before it. */
  const isInSpeech = (): boolean => {
    const [next] = pieces;
    return next ? !next.startsSegment : runningFrom !== null;
  };

  const isSpeech = ({ probability }: SpeechPiece): boolean =>
    !(probability < options.positiveSpeechThreshold);

  const toOpen = (chunkPieces: readonly SpeechPiece[]): OpenChunk => ({
    number: nextNumber,
    ranges: pieceRanges(chunkPieces),
    samples: concatPieces(chunkPieces),
    speechSamples: countSamples(chunkPieces.filter(isSpeech)),
  });

  const toChunk = (chunkPieces: readonly SpeechPiece[]): SpeechChunk => {
    const chunk = { ...toOpen(chunkPieces), endsInSpeech: isInSpeech() };
    nextNumber += 1;
    cutSamples += chunk.samples.length;
    accumulatedSamples -= chunk.samples.length;
    return chunk;
  };

  const cutAt = (position: number): SpeechChunk => {
    const before = takeSamples(pieces, position);
    if (runningFrom !== null) runningFrom = Math.max(0, runningFrom - before.wholePieces);
    pieces = before.rest;
    known = NOTHING_KNOWN;
    return toChunk(before.taken);
  };

  const cutWhileFull = (): readonly SpeechChunk[] => {
    const chunks: SpeechChunk[] = [];
    while (accumulatedSamples >= window.latestSample) {
      chunks.push(cutAt(chooseCutPosition(pieces, window)));
    }
    return chunks;
  };

  const append = (more: readonly SpeechPiece[]): readonly SpeechChunk[] => {
    pieces.push(...more);
    accumulatedSamples += countSamples(more);
    return cutWhileFull();
  };

  const start = (startSample: number): readonly SpeechChunk[] => {
    if (runningFrom !== null) return [];
    runningFrom = pieces.length;
    const padded = preRoll.takeFrom(startSample);
    return append(padded.map((piece, index) => ({ ...piece, startsSegment: index === 0 })));
  };

  /** Ends the running segment at `endSample`; what it holds beyond is no speech. */
  const end = (endSample: number): void => {
    if (runningFrom === null) return;
    const running = pieces.splice(runningFrom);
    known = NOTHING_KNOWN;
    accumulatedSamples -= countSamples(running);
    runningFrom = null;
    const [kept, dropped] = splitAtSample(running, endSample);
    pieces.push(...kept);
    accumulatedSamples += countSamples(kept);
    preRoll.push(dropped);
  };

  const pendingSpeechSamples = (): number => countSamples(pieces.filter(isSpeech));

  const takeRest = (): readonly SpeechPiece[] => {
    const rest = pieces;
    pieces = [];
    known = NOTHING_KNOWN;
    runningFrom = null;
    return rest;
  };

  const pause = (fromSamples: number): readonly SpeechChunk[] =>
    runningFrom !== null || pendingSpeechSamples() < fromSamples ? [] : [toChunk(takeRest())];

  return {
    /** Takes every recorded frame in its order, before the events that it caused. */
    frame(frame: InferredFrame): readonly SpeechChunk[] {
      if (frame.pcm.length === 0) return [];
      const piece = { ...frame, startsSegment: false };
      if (runningFrom !== null) return append([piece]);
      preRoll.push([piece]);
      return [];
    },
    /** Takes the gate's events. An end that nothing began is ignored, as is a second beginning. */
    event(event: SpeechEvent): readonly SpeechChunk[] {
      switch (event.kind) {
        case 'speech-started':
          return start(event.startSample);
        case 'segment-ended':
          end(event.range.endSample);
          return pause(pauseEndsFromSamples);
        case 'misfire':
          end(event.range.startSample);
          return [];
        default:
          return assertNever(event);
      }
    },
    /**
     * Ends a chunk in a pause, if it holds this many samples in frames of speech; does nothing
     * during speech.
     */
    pause,
    /** The chunk that a pause at that sample would cut; null if nothing is left. */
    peek(endSample: number = Number.POSITIVE_INFINITY): OpenChunk | null {
      const [kept] = splitAtSample(pieces, endSample);
      return kept.length === 0 ? null : toOpen(kept);
    },
    /** Goes by these from now on. */
    change(limits: ChunkLimits) {
      ({ window, pauseEndsFromSamples } = checked(limits));
    },
    /** All that is left, a running segment included, when recording is over; null if nothing is. */
    flush(): SpeechChunk | null {
      const rest = takeRest();
      return rest.length === 0 ? null : toChunk(rest);
    },
    /** Speech not yet cut into a chunk: finished segments and the running one. */
    get accumulatedSamples(): number {
      return accumulatedSamples;
    },
    /** The part of it that is in frames of speech. */
    get pendingSpeechSamples(): number {
      return pendingSpeechSamples();
    },
    /** All speech of the session so far, cut or not. */
    get speechSamples(): number {
      return cutSamples + accumulatedSamples;
    },
    /** Where the speech not yet cut lies, the running segment last. */
    get pendingRanges(): readonly SampleRange[] {
      if (known.pieces < pieces.length) {
        const ranges = pieceRanges(pieces.slice(known.pieces), known.ranges);
        known = { pieces: pieces.length, ranges };
      }
      return known.ranges;
    },
    /** The number the next chunk gets. */
    get nextNumber(): number {
      return nextNumber;
    },
  };
}

function checked(limits: ChunkLimits) {
  const { maxChunkSamples, searchSamples = DEFAULT_SEARCH_SAMPLES } = limits;
  if (!(maxChunkSamples >= 2)) {
    throw new DikteraError('bad-option', `maxChunkSamples is ${maxChunkSamples}, must be >= 2`);
  }
  const reach = Math.min(searchSamples, Math.floor(maxChunkSamples / 2));
  const window = { earliestSample: maxChunkSamples - reach, latestSample: maxChunkSamples };
  const { pauseEndsFromSamples = Number.POSITIVE_INFINITY } = limits;
  return { window, pauseEndsFromSamples };
}

/** A pre-roll that always holds the latest `capacitySamples`, and at most one frame more. */
function createPreRoll(capacitySamples: number) {
  let pieces: SpeechPiece[] = [];

  return {
    /** Adds audio that follows what is there; the oldest goes when there is enough without it. */
    push(more: readonly SpeechPiece[]) {
      pieces.push(...more);
      let spareSamples = countSamples(pieces) - capacitySamples;
      while (pieces[0] !== undefined && pieces[0].pcm.length <= spareSamples) {
        spareSamples -= pieces[0].pcm.length;
        pieces.shift();
      }
    },
    /** Takes out everything from this sample on; what lies before it is dropped. */
    takeFrom(startSample: number): readonly SpeechPiece[] {
      const taken = pieces
        .filter((piece) => pieceEnd(piece) > startSample)
        .map((piece) =>
          piece.startSample < startSample
            ? splitPiece(piece, startSample - piece.startSample)[1]
            : piece,
        );
      pieces = [];
      return taken;
    },
  };
}
