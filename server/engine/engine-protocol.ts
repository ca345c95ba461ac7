/** One utterance for the engine's process; several may be under way. */
export type EngineRequest = { readonly id: number; readonly utterance: Float32Array };

/** What it says: `ready` or `unloadable` once, then an answer to each request. */
export type EngineReply =
  | { readonly kind: 'ready' }
  /** The model cannot be loaded; `reason` may be shown to anybody, `message` is for the log. */
  | { readonly kind: 'unloadable'; readonly reason: string; readonly message: string }
  | { readonly kind: 'heard'; readonly id: number; readonly text: string }
  | { readonly kind: 'failed'; readonly id: number };
