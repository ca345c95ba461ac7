import type { SampleRange } from '../audio/audio-format.ts';
import type { MicrophoneProblem } from '../audio/microphone-diagnostics.ts';
import type { ErrorInfo } from '../errors.ts';
import type { ReviewReason } from '../queue/queue-item.ts';
import type { RecordingsState } from '../recordings/recording.ts';
import type { KeptRecording } from './kept-recording.ts';
import type { Notice, NoticeKind } from './notices.ts';
import type { SampleLedger } from './sample-ledger.ts';
import type {
  EndCause,
  EngineState,
  MicrophoneDevice,
  PreviewText,
  QueueState,
  ServerState,
  SessionState,
} from './snapshot.ts';

/** Everything that can change a snapshot. */
export type SnapshotEvent =
  | { readonly kind: 'engine-changed'; readonly engine: EngineState }
  /** `isLive`: words are shown. @default false: not before the first `preview-changed` */
  | { readonly kind: 'session-began'; readonly id: string; readonly isLive?: boolean }
  /** A session goes on whose worker died; the notices that are about it go on too. */
  | {
      readonly kind: 'session-taken-over';
      readonly session: SessionState;
      readonly notices: readonly Notice[];
    }
  | { readonly kind: 'session-opened'; readonly device: MicrophoneDevice }
  /** The microphone did not open, or the session is over and delivered: a fresh recorder. */
  | { readonly kind: 'session-released' }
  /** Another microphone took over. */
  | { readonly kind: 'device-changed'; readonly device: MicrophoneDevice }
  | { readonly kind: 'recording-paused' }
  | { readonly kind: 'recording-resumed' }
  /** The recording cannot go on. */
  | { readonly kind: 'end-wanted'; readonly cause: EndCause }
  /** Stop was asked for: the end of speech is awaited. */
  | { readonly kind: 'finishing-began' }
  /** The microphone is closed: answers are awaited. */
  | { readonly kind: 'transcribing-began' }
  | { readonly kind: 'session-stopped' }
  | ({ readonly kind: 'frame-processed' } & FrameFacts)
  | { readonly kind: 'input-lost'; readonly inputFrames: number }
  | { readonly kind: 'chunk-cut'; readonly number: number; readonly endSample: number }
  | ChunkTranscribed
  | ({ readonly kind: 'chunk-left'; readonly number: number } & PreviewLeft)
  /** What a live session shows of words that are not final. */
  | { readonly kind: 'preview-changed'; readonly preview: PreviewText }
  | { readonly kind: 'queue-changed'; readonly queue: QueueState }
  | { readonly kind: 'kept-changed'; readonly kept: readonly KeptRecording[] }
  | { readonly kind: 'recordings-changed'; readonly recordings: RecordingsState }
  | { readonly kind: 'server-changed'; readonly server: ServerState }
  | { readonly kind: 'ledger-changed'; readonly ledger: SampleLedger }
  | ({ readonly kind: 'notice-raised'; readonly notice: NoticeKind } & Omit<Notice, 'kind'>)
  | { readonly kind: 'notice-cleared'; readonly notice: NoticeKind }
  /** The worker is gone: what it alone knew is not there any more. */
  | { readonly kind: 'worker-lost'; readonly error: ErrorInfo };

/** What is left of the preview in the same moment, so that no word is seen twice or not at all. */
export type PreviewLeft = { readonly preview?: PreviewText };

/** A chunk has its text. */
export type ChunkTranscribed = {
  readonly kind: 'chunk-transcribed';
  readonly number: number;
  readonly text: string;
  /** Why it may not be all. @default null */
  readonly needsReview?: ReviewReason | null;
} & PreviewLeft;

/** What one frame tells. */
export type FrameFacts = {
  /** Samples recorded so far, this frame included. */
  readonly recordedSamples: number;
  /** Samples of speech found so far, the running segment included. */
  readonly speechSamples: number;
  /** Segments not yet cut into a chunk, the running one last. */
  readonly speechSegments: readonly SampleRange[];
  readonly isSpeaking: boolean;
  readonly probability: number;
  readonly levelDbfs: number;
  readonly microphoneProblem: MicrophoneProblem | null;
  readonly lagFrames: number;
  readonly maxLagFrames: number;
};
