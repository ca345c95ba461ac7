// Nothing is needed for Diktera but the way to the transcription server while one develops.
export default {
  server: { proxy: { '/api': process.env.API ?? 'http://127.0.0.1:5180' } },
};
