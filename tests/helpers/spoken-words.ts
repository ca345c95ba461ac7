/** The words of each speech fixture; `tests/fixtures/README.md` says how they were made. */
export const SPOKEN_WORDS = {
  'speech-en': 'The patient has had a fever for three days and needs to rest.',
  'dictation-one': 'Please send the report to the office before Friday morning.',
  'dictation-two': 'Today is a good day to start a new project.',
} as const;
