/**
 * Ties a child to its parent: it ends when the parent is gone, and not before: signals for the whole
 * group, from a terminal or a service manager, are the parent's to act on, and it may have work to finish.
 */
export function endWithParent(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => undefined);
  }
  process.on('disconnect', () => process.exit());
}

/** Sends a message to the parent; fulfilled when it is on its way. A parent that is gone hears nothing. */
export function tellParent(message: object): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}
