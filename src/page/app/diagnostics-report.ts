import type { Snapshot } from '../../core/session/snapshot.ts';

/**
 * What is there to be told to those who mend Diktera, as JSON: no text, no audio, no names, no
 * addresses.
 */
export function diagnosticsReport({ ledger, queue, kept, engine, notices }: Snapshot): string {
  const states: Record<string, number> = {};
  for (const { state } of queue.items) states[state.kind] = (states[state.kind] ?? 0) + 1;
  const report = {
    ledger,
    queue: { states, unstoredItems: queue.unstoredItems, isUnauthorised: queue.isUnauthorised },
    keptRecordings: kept.length,
    engine: engine.kind === 'ready' ? `${engine.kind} ${engine.engine}` : engine.kind,
    // An error's message may hold an address.
    notices: notices.map(({ kind, error }) => ({ kind, code: error?.code ?? null })),
  };
  return JSON.stringify(report, null, 2);
}
