declare global {
  /** Core has no DOM: this much of the realm's own type, which it becomes one with elsewhere. */
  interface AbortSignal {
    readonly aborted: boolean;
  }
}

export {};
