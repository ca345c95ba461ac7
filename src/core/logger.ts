/**
 * Takes log lines; `console` is one. Those of `LOG_MESSAGES` stand first on the line. Never pass
 * audio or a transcript.
 */
export type Logger = {
  error(message: string, ...details: readonly unknown[]): void;
  warn(message: string, ...details: readonly unknown[]): void;
  info(message: string, ...details: readonly unknown[]): void;
};

/** Log lines whose words are fixed: docs/behaviour.md, Errors. */
export const LOG_MESSAGES = {
  uploadFailed: 'Error getting transcription',
  noMicrophone: 'No supported microphone found',
  noAudioType: 'No supported audio type found',
  misfire: 'VAD misfire',
} as const;
