/** Why a file could not be had, and whether asking again may help. */
export type FetchProblemKind =
  /** Asking again may help: the network, a server that is busy, a connection that was cut. */
  | 'passing'
  /** Asking this server again is in vain; another may have it. */
  | 'wrong-source'
  /** Nothing fetched from anywhere can be kept: the disk is full or may not be written to. */
  | 'no-room';

/** What is at fault, so that a page can say it in the person's own language. */
export type FetchFault =
  /** Nobody answers, or the connection is cut again and again. */
  | 'no-network'
  /** A server, or a proxy, answers and does not give it. */
  | 'refused'
  /** Something else comes than the file that is known: other bytes, a page, another length. */
  | 'wrong-bytes'
  | 'bad-proxy'
  | 'disk-full'
  /** There is too little room on the disk, seen before anything is fetched. */
  | 'disk-small'
  | 'read-only'
  | 'memory-small';

/** A file of a model could not be had; `message` is for people and names no local path. */
export class FetchProblem extends Error {
  override readonly name: string = 'FetchProblem';
  readonly kind: FetchProblemKind;
  readonly fault: FetchFault;
  /** Whether what has come by now is of no use: it is deleted, and the next try begins anew. */
  readonly isSpoilt: boolean;

  constructor(
    kind: FetchProblemKind,
    fault: FetchFault,
    message: string,
    { cause, isSpoilt = false }: { readonly cause?: unknown; readonly isSpoilt?: boolean } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.fault = fault;
    this.isSpoilt = isSpoilt;
  }
}

/** What a system's error means for who fetches; null when it is none of the disk's. */
export function diskProblem(code: string): FetchProblem | null {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new FetchProblem('no-room', 'disk-full', 'the disk is full');
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new FetchProblem('no-room', 'read-only', 'the folder for models cannot be written to');
    case 'EFBIG':
      return new FetchProblem('no-room', 'disk-full', 'the disk takes no file this large');
    default:
      return null;
  }
}
