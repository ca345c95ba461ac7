/** Why a file could not be had, and whether asking again may help. */
export type FetchProblemKind =
  /** Asking again may help: the network, a server that is busy, a connection that was cut. */
  | 'passing'
  /** Asking this server again is in vain; another may have it. */
  | 'wrong-source'
  /** Nothing fetched from anywhere can be kept: the disk is full or may not be written to. */
  | 'no-room';

/** A file of a model could not be had; `message` is for people and names no local path. */
export class FetchProblem extends Error {
  override readonly name: string = 'FetchProblem';
  readonly kind: FetchProblemKind;
  /** Whether what has come by now is of no use: it is deleted, and the next try begins anew. */
  readonly isSpoilt: boolean;

  constructor(
    kind: FetchProblemKind,
    message: string,
    { cause, isSpoilt = false }: { readonly cause?: unknown; readonly isSpoilt?: boolean } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.isSpoilt = isSpoilt;
  }
}

/** What a system's error means for who fetches; null when it is none of the disk's. */
export function diskProblem(code: string): FetchProblem | null {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new FetchProblem('no-room', 'the disk is full');
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new FetchProblem('no-room', 'the folder for models cannot be written to');
    case 'EFBIG':
      return new FetchProblem('no-room', 'the disk takes no file this large');
    default:
      return null;
  }
}
