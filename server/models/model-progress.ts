import { assertNever } from '../../src/core/assert-never.ts';
import type { FetchFault } from './download/fetch-problem.ts';

/** What is at fault with a model that is not ready and is not coming. */
export type ModelFault =
  | FetchFault
  /** It is built otherwise than we can convert. */
  | 'not-convertible'
  /** It ended the engine, or wrote nothing, when it was tried. */
  | 'unusable'
  | 'unknown';

/** How far a model is from answering. */
export type ModelProgress =
  /** Nothing of it is wanted or here. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'fetching'; readonly doneBytes: number }
  | { readonly kind: 'paused'; readonly doneBytes: number }
  | { readonly kind: 'converting' }
  /** Loaded for the first time, on a clip. */
  | { readonly kind: 'trying' }
  | { readonly kind: 'ready' }
  /** It could not be had; asking again may help. `reason` is for people and holds no paths. */
  | { readonly kind: 'failed'; readonly fault: ModelFault; readonly reason: string }
  /** It ended the engine or wrote nothing when it was tried; it stays out until fetched anew. */
  | { readonly kind: 'quarantined'; readonly fault: ModelFault; readonly reason: string };

/** How much of the work before the first word is done, 0 to 1; the download is nearly all of it. */
export function shareDone(progress: ModelProgress, totalBytes: number): number {
  switch (progress.kind) {
    case 'fetching':
    case 'paused':
      return Math.floor((95 * progress.doneBytes) / totalBytes) / 100;
    case 'converting':
      return 0.96;
    case 'trying':
      return 0.98;
    case 'ready':
      return 1;
    default:
      return 0;
  }
}

/** The same in words, for the log. */
export function progressText(progress: ModelProgress, totalBytes: number): string {
  const percent = `${Math.round(100 * shareDone(progress, totalBytes))} %`;
  switch (progress.kind) {
    case 'absent':
      return 'not here';
    case 'fetching':
      return `being fetched, ${percent} done (${Math.round(totalBytes / 1e6)} MB)`;
    case 'paused':
      return `paused, ${percent} done`;
    case 'converting':
      return `being made ready, ${percent} done`;
    case 'trying':
      return `being tried, ${percent} done`;
    case 'ready':
      return 'ready';
    case 'failed':
      return `could not be made ready: ${progress.reason}`;
    case 'quarantined':
      return `put aside: ${progress.reason}`;
    default:
      return assertNever(progress);
  }
}
