/** The log lines the spec's error catalogue (section 8) fixes to the letter. */
export const LOG_MESSAGES = {
  uploadFailed: 'Error getting transcription',
  noMicrophone: 'No supported microphone found',
  noAudioType: 'No supported audio type found',
  misfire: 'VAD misfire',
} as const;
