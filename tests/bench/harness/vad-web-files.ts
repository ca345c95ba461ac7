/** Where the bench puts the peer's own files. */
export const VAD_WEB_FILES = '/vad-web/';
