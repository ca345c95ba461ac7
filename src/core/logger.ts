/**
 * Where log lines go; `console` is one. The messages of the spec's error catalogue are in
 * `log-messages.ts` and stand first on the line. Never pass audio or a transcript.
 */
export type Logger = {
  error(message: string, ...details: readonly unknown[]): void;
  warn(message: string, ...details: readonly unknown[]): void;
  info(message: string, ...details: readonly unknown[]): void;
};

/** The log lines the spec's error catalogue (section 8) fixes to the letter. */
export const LOG_MESSAGES = {
  uploadFailed: 'Error getting transcription',
  noMicrophone: 'No supported microphone found',
  noAudioType: 'No supported audio type found',
  misfire: 'VAD misfire',
} as const;
