import type { Strings } from './strings-sv.ts';

/** Every text of the interface, in English. */
export const ENGLISH: Strings = {
  lang: 'en',
  toolbarLabel: 'Dictation',
  dictate: 'Dictate',
  copy: 'Copy',
  copied: 'Copied',
  pause: 'Pause',
  resume: 'Resume',
  discard: 'Discard',
  cancelled: 'Recording discarded.',
  undo: 'Undo',
  stop: 'Done',
  takeBack: 'Undo the dictation',
  liveHint: 'Words appear here as you speak.',
  stopWaiting: 'Keep working',
  stopWaitingHelp: 'The text is inserted when ready.',
  statusLabel: 'Recording',
  phases: {
    idle: '',
    starting: 'Opening the microphone …',
    recording: 'Listening',
    stalled: 'No sound',
    paused: 'Paused',
    finishing: 'Finishing …',
    transcribing: 'Transcribing …',
    stopped: '',
  },
  announcements: {
    recording: 'Recording has started',
    cancelled: 'Recording discarded, it can be undone',
    paused: 'Recording is paused',
    finishing: 'Recording is ending',
    transcribing: 'The text is on its way',
    done: 'Done, the text is inserted',
    nothing: 'Done, no speech was heard',
    later: 'The text is inserted when ready, the audio is kept',
    ready: 'The text is ready to be inserted',
    needsReview: 'The text may be incomplete, the audio is kept',
  },
  busyElsewhere: 'Dictation is running in another field',
  microphoneAdvice: {
    silent: 'No sound. Check that the right microphone is chosen and on.',
    clipping: 'The sound is too loud. Hold the microphone further away.',
    quiet: 'You are hard to hear. Hold the microphone closer.',
    'narrow-band':
      'The sound has telephone quality. Choose the built-in microphone for better text.',
  },
  dismiss: 'Close',
  dictations: {
    title: 'Dictations',
    badge: (count) => `${count} waiting`,
    reviewBadge: (count) => `${count} to review`,
    show: (count) => (count === 1 ? '1 dictation waiting' : `${count} dictations waiting`),
    showReviews: (count) =>
      count === 1 ? '1 dictation to review' : `${count} dictations to review`,
    failed: 'It did not work. Nothing is lost. Try again.',
  },
  alarmTitle: (title: string) => `⚠ No sound – ${title}`,
  duration: (seconds: number) =>
    seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`,
  notices: {
    'microphone-missing': {
      title: 'No microphone was found',
      advice: 'Connect a microphone and press Dictate again.',
    },
    'microphone-denied': {
      title: 'The microphone is not allowed',
      advice:
        "Allow the microphone for the page in the browser's address bar and press Dictate again.",
    },
    'microphone-framed': {
      title: 'The page that shows Diktera must allow the microphone',
      advice:
        'Whoever runs that page must give the frame allow="microphone". Then allow the microphone in the browser.',
    },
    'microphone-busy': {
      title: 'The microphone is in use',
      advice: 'Close the program that uses it and press Dictate again.',
    },
    'microphone-failed': {
      title: 'The microphone could not be opened',
      advice: "Try again, or choose another microphone in the computer's settings.",
    },
    'insecure-page': {
      title: 'The page may not use the microphone',
      advice: 'Browsers require https for that. Ask whoever runs the page to turn it on.',
    },
    'webassembly-missing': {
      title: 'The browser cannot record here',
      advice:
        "WebAssembly is turned off, as in Apple's Lockdown Mode. Exclude the site and reload the page.",
    },
    'microphone-lost': {
      title: 'Microphone disconnected',
      advice: 'What you said is kept and becomes text. Connect the microphone and resume.',
    },
    'microphone-away': {
      title: 'Microphone disconnected',
      advice: 'Wait before you speak. Another is being opened; answer if the browser asks.',
    },
    'microphone-switched': {
      title: 'The microphone was changed',
      advice: 'What you said meanwhile may be missing, the rest is kept.',
    },
    'microphone-muted': {
      title: 'The microphone is muted',
      advice: "Unmute it in the computer's sound settings or on the headset.",
    },
    'tab-sound-refused': {
      title: 'The tab was not shared',
      advice: 'Press Dictate and share a tab with sound, or turn tab sound off in Options.',
    },
    'tab-sound-ended': {
      title: 'The tab is no longer shared',
      advice: 'Recording continues with the microphone.',
    },
    'capture-stalled': {
      title: 'No sound',
      advice:
        'Wait before you speak. What you have said is kept. Click on the page, or choose Done and begin again.',
    },
    'capture-gap': {
      title: 'The sound cut out for a while',
      advice: 'What you said then is missing. Read the text through and say it again.',
    },
    'capture-slept': {
      title: 'The computer slept',
      advice: 'Recording continues, and what you said before is kept. Nothing was heard meanwhile.',
    },
    'audio-context-closed': {
      title: 'The browser closed the audio',
      advice: 'What you said is kept and becomes text. Press Dictate to go on.',
    },
    'audio-graph-failed': {
      title: 'The audio could not be started',
      advice: 'Reload the page and try again.',
    },
    'audio-type-missing': {
      title: 'The browser cannot record audio',
      advice: 'Update the browser or use another one.',
    },
    'engine-failed': {
      title: 'Speech detection does not work',
      advice: 'You can dictate all the same: all audio is kept and sent.',
    },
    lagging: {
      title: 'The computer cannot keep up',
      advice: 'No audio is lost, but the text may take time.',
    },
    'upload-failed': {
      title: 'No text yet',
      advice: 'The audio is saved and sent again automatically.',
    },
    'uploads-unauthorised': {
      title: 'Sign in again',
      advice: 'The audio is kept, and sent when you have signed in.',
    },
    'chunk-refused': {
      title: 'The server does not accept the audio',
      advice: 'The audio is kept under Dictations.',
    },
    'text-needs-review': {
      title: 'A text may be incomplete',
      advice: 'The audio is kept under Dictations. Listen, or try again.',
    },
    'recording-kept': {
      title: 'The audio could not be sent yet',
      advice: 'It is kept under Dictations. Choose Try now.',
    },
    'audio-damaged': {
      title: 'Part of an earlier recording could not be read',
      advice: 'The rest is kept and becomes text. Read the text through.',
    },
    'storage-failed': {
      title: 'The audio cannot be saved on the computer',
      advice:
        'Keep the page open until the text is there. The disk may be full, the window private, or cookies blocked.',
    },
    'storage-low': {
      title: 'The disk is nearly full',
      advice: 'There is room for a few more minutes of speech. Free some space.',
    },
    'storage-full': {
      title: 'The disk is full',
      advice: 'Recording has ended. What you said is kept and becomes text. Free some space.',
    },
    'worker-crashed': {
      title: 'The dictation was cut off by an error',
      advice: 'What you said is kept and becomes text.',
    },
    'start-delayed': {
      title: 'Dictation has not started yet',
      advice: 'What you say is kept for a minute. Check the network if it takes long.',
    },
    'already-recording': {
      title: 'Already recording',
      advice: 'Stop it before you start another.',
    },
    disposed: {
      title: 'Dictation has ended on this page',
      advice: 'Reload the page to dictate again.',
    },
    'text-not-inserted': {
      title: 'The text could not be inserted',
      advice: 'It is kept under Dictations.',
    },
    'storage-not-kept': {
      title: 'What waits is only in this browser',
      advice: 'Keep the window open until the text has come.',
    },
    'speech-lost': {
      title: 'Some of what you said is missing',
      advice: 'The computer stood still for too long. Read the text and say what is missing again.',
    },
    'max-duration-reached': {
      title: 'The recording time limit is reached',
      advice: 'Press Dictate to go on.',
    },
  },
};
