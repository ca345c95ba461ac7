/** Where several servers keep what they have begun and answered. Every call may reject. */
export type AnswerStore = {
  /** Writes `value` unless the key has one, for `ttlMs`; says whether it did. */
  claim(key: string, value: string, ttlMs: number): Promise<boolean>;
  read(key: string): Promise<string | null>;
  write(key: string, value: string, ttlMs: number): Promise<void>;
  forget(key: string): Promise<void>;
  close(): Promise<void>;
};
