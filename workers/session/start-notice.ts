import type { ErrorInfo } from '../../src/core/errors.ts';
import type { NoticeKind } from '../../src/core/session/notices.ts';

/** The notice for a recording that could not begin. */
export function noticeOfStart({ code }: ErrorInfo): NoticeKind {
  switch (code) {
    case 'microphone-missing':
    case 'microphone-denied':
    case 'microphone-framed':
    case 'microphone-busy':
    case 'insecure-page':
    case 'webassembly-missing':
    case 'tab-sound-refused':
    case 'audio-type-missing':
    case 'audio-context-closed':
      return code;
    case 'wrong-phase':
      return 'already-recording';
    case 'storage-failed':
    case 'worker-crashed':
      return code;
    case 'audio-graph-failed':
    case 'asset-unreachable':
    case 'asset-wrong':
      return 'audio-graph-failed';
    default:
      return 'microphone-failed';
  }
}
