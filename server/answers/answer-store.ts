/** Where several servers keep what they have begun and answered. Every call may reject. */
export type AnswerStore = {
  /** Writes `value` unless the key has one, for `ttlMs`; says whether it did. */
  claim(key: string, value: string, ttlMs: number): Promise<boolean>;
  read(key: string): Promise<string | null>;
  /** Keeps `expected` for `ttlMs` more, if that is still the key's value; says whether it is. */
  renew(key: string, expected: string, ttlMs: number): Promise<boolean>;
  /**
   * Puts `value` in place of `expected` for `ttlMs`, and says whether `expected` was still there.
   */
  replace(key: string, expected: string, value: string, ttlMs: number): Promise<boolean>;
  /** Takes the key away if its value is still `expected`. */
  forget(key: string, expected: string): Promise<void>;
  close(): Promise<void>;
};
