import { useCallback, useInsertionEffect, useRef } from 'react';

/**
 * Gives what was drawn last, for handlers and effects that must not be made anew when it changes.
 * Not to be called while drawing: what is being drawn may be thrown away. The function stays the
 * same.
 */
export function useLatest<T>(value: T): () => T {
  const latest = useRef(value);
  // Before any effect of this commit that may ask for it.
  useInsertionEffect(() => {
    latest.current = value;
  });
  return useCallback(() => latest.current, []);
}
