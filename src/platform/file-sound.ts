import type { WorkerAssets } from '../core/contracts/asset-addresses.ts';

/** A part of a file, in ms from its beginning. */
export type FilePart = { readonly startMs: number; readonly endMs: number };

/** Speech of a file, cut where nobody speaks; of one that cannot be decoded here, a length of it. */
export type SoundPiece = {
  /** A file; null where nobody speaks. */
  readonly bytes: ArrayBuffer | null;
  /** The parts of the file that it holds; between them there is no speech. */
  readonly parts: readonly FilePart[];
  /** All before it is in this piece, in one before, or without speech. */
  readonly endMs: number;
};

export type SoundFacts = {
  readonly durationMs: number;
  /** The type of the pieces: `audio/wav`, 16 kHz and mono, if the sound can be decoded. */
  readonly type: string;
  readonly codec: string | null;
};

/** A question to `read-file.worker.ts`, which answers each before the next: a file, then its pieces. */
export type SoundQuestion =
  | {
      readonly kind: 'open';
      readonly file: Blob;
      /** The addresses of the speech detector. */
      readonly kernel: WorkerAssets['kernel'];
    }
  /** The next piece; with a time the first one from there on. */
  | { readonly kind: 'next'; readonly fromMs?: number };

export type SoundAnswer =
  | ({ readonly kind: 'opened' } & SoundFacts)
  | ({ readonly kind: 'piece' } & SoundPiece)
  /** `isWhole` is false where a part of the file could not be decoded. */
  | { readonly kind: 'end'; readonly isWhole: boolean }
  | {
      readonly kind: 'failed';
      readonly why: 'no-sound' | 'unreadable';
      readonly codec: string | null;
    };
