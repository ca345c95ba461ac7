export type { SampleRange } from './core/audio/audio-format.ts';
export { AUDIO_TYPES, type AudioType } from './core/audio/audio-types.ts';
export type { LevelPort, LevelReading } from './core/audio/level-meter.ts';
export type { MicrophoneProblem } from './core/audio/microphone-diagnostics.ts';
export type {
  AudioFile,
  DeliveryVerdict,
  Dictation,
  DictationResult,
  DictationSetup,
  RecordingCommands,
  RequestHeaders,
  StartOptions,
  StartResult,
  StopOptions,
} from './core/contracts/dictation.ts';
export { DikteraError, type ErrorCode, type ErrorInfo } from './core/errors.ts';
export type { GivenSessionOptions } from './core/options/dictation-options.ts';
export {
  DEFAULT_SESSION_OPTIONS,
  DICTATION_FIELD_OPTIONS,
  type InsertTime,
  type SessionOptions,
  type TranscriptionOptions,
} from './core/options/dictation-options.ts';
export type {
  ChunkState,
  ChunkWords,
  DeliveredText,
  PendingState,
  QueueItemHead,
  ReviewReason,
} from './core/queue/queue-item.ts';
export type {
  Recording,
  RecordingState,
  RecordingsState,
  Rewriting,
  StorageFacts,
  Transcript,
} from './core/recordings/recording.ts';
export { DEFAULT_KEEPING, type Keeping } from './core/recordings/recording.ts';
export type {
  EndCause,
  EngineState,
  KeptRecording,
  LiveText,
  LostReason,
  MicrophoneDevice,
  Notice,
  NoticeKind,
  QueueState,
  SampleLedger,
  ServerEngine,
  ServerState,
  SessionPhase,
  SessionState,
  Snapshot,
} from './core/session/snapshot.ts';
export type { EngineChoice, SpeechEngineKind } from './core/speech/speech-engine.ts';
export {
  DEFAULT_VAD_OPTIONS,
  RECORDING_VAD_OPTIONS,
  VAD_PRESETS,
  type VadOptions,
  type VadPreset,
} from './core/speech/vad-options.ts';
export type { FillerLevel } from './core/text/fillers.ts';
export type { Replacement } from './core/text/replacements.ts';
export type { GivenTextRules, TextRuleChoices } from './core/text/text-rules.ts';
export type { VocabularyEntry } from './core/text/vocabulary.ts';
export type { WordTime } from './core/word-time.ts';
export type { WrittenSnippet } from './core/written-snippet.ts';
export { createDictation, pageDictation } from './create-dictation.ts';
