/** Part of a file's sound, cut where it is quiet. */
export type SoundPiece = {
  /** A WAV file, 16 kHz, mono; null where nothing is heard in it. */
  readonly wav: ArrayBuffer | null;
  readonly startMs: number;
  readonly endMs: number;
};

/** A question to `read-file.worker.ts`, which answers each before the next: a file, then its pieces. */
export type SoundQuestion =
  | { readonly kind: 'open'; readonly file: Blob }
  /** The next piece; with a time the first one from there on. */
  | { readonly kind: 'next'; readonly fromMs?: number };

export type SoundAnswer =
  | { readonly kind: 'opened'; readonly durationMs: number }
  | ({ readonly kind: 'piece' } & SoundPiece)
  | { readonly kind: 'end' }
  | {
      readonly kind: 'failed';
      readonly why: 'no-sound' | 'unreadable';
      readonly codec: string | null;
    };
