/**
 * Ties a child to its parent: it ends when the parent is gone, and not before. Signals for the
 * whole group, from a terminal or a service manager, are the parent's, which may have work to
 * finish.
 */
export function endWithParent(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => undefined);
  }
  process.on('disconnect', () => process.exit());
}

/** Sends a message to the parent, if it is still there; fulfilled when it is on its way. */
export function tellParent(message: object): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}
