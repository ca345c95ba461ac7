import type { CDPSession } from 'playwright';

const MB = 1_000_000;

/** What a page's heap and its documents are left with when nothing can be thrown away any more. */
export async function heapOf(session: CDPSession) {
  await collectGarbage(session);
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, documents, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { heapMb: Number((usedSize / MB).toFixed(2)), nodes, documents, jsEventListeners };
}

/** How many there are of each kind of object, by V8's name for it. */
export type HeapCounts = {
  readonly all: ReadonlyMap<string, number>;
  /** Those of them that are elements in no document any more. */
  readonly detached: ReadonlyMap<string, number>;
};

/** As much of a heap snapshot as is read here. */
type Snapshot = {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[] } };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
};

/** V8's mark of an element that its document has no more. */
const DETACHED = 2;

/** Counts what is alive after the garbage has been collected. */
export async function countHeap(session: CDPSession): Promise<HeapCounts> {
  const parts: string[] = [];
  const listen = ({ chunk }: { chunk: string }): void => void parts.push(chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', listen);
  await collectGarbage(session);
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  session.off('HeapProfiler.addHeapSnapshotChunk', listen);
  const { snapshot, nodes, strings } = JSON.parse(parts.join('')) as Snapshot;
  const fields = snapshot.meta.node_fields;
  const nameAt = fields.indexOf('name');
  const detachedAt = fields.indexOf('detachedness');
  const all = new Map<string, number>();
  const detached = new Map<string, number>();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const name = strings[nodes[at + nameAt] ?? 0] ?? '';
    all.set(name, (all.get(name) ?? 0) + 1);
    if (nodes[at + detachedAt] !== DETACHED) continue;
    detached.set(name, (detached.get(name) ?? 0) + 1);
  }
  return { all, detached };
}

/** The kinds of which there are at least `atLeast` more than before. */
export function grownBy(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  atLeast: number,
): readonly (readonly [name: string, more: number])[] {
  return [...after]
    .map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
    .filter(([, more]) => more >= atLeast)
    .sort(([, one], [, other]) => other - one);
}

/** The page's, and then its workers': each has a heap of its own, which nobody else cleans. */
async function collectGarbage(session: CDPSession): Promise<void> {
  // What the first one lets go may hold others.
  for (let turn = 0; turn < 2; turn += 1) {
    await session.send('HeapProfiler.collectGarbage');
    await collectWorkers(session);
  }
}

async function collectWorkers(session: CDPSession): Promise<void> {
  const collected = new Map<string, () => void>();
  const settle = ({ sessionId }: { sessionId: string }): void => collected.get(sessionId)?.();
  const collecting: Promise<unknown>[] = [];
  const collect = ({ sessionId }: { sessionId: string }): void => {
    const message = JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' });
    collecting.push(
      new Promise<void>((resolve) => collected.set(sessionId, resolve)),
      // One that is gone by then has no garbage.
      session
        .send('Target.sendMessageToTarget', { sessionId, message })
        .catch(() => settle({ sessionId })),
    );
  };
  const attach = (autoAttach: boolean) =>
    session.send('Target.setAutoAttach', {
      autoAttach,
      waitForDebuggerOnStart: false,
      flatten: false,
    });
  session.on('Target.attachedToTarget', collect);
  session.on('Target.receivedMessageFromTarget', settle);
  session.on('Target.detachedFromTarget', settle);
  await attach(true);
  await Promise.all(collecting);
  await attach(false);
  session.off('Target.attachedToTarget', collect);
  session.off('Target.receivedMessageFromTarget', settle);
  session.off('Target.detachedFromTarget', settle);
}
