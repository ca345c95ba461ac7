import { cpus } from 'node:os';
import { familyCpuSeconds, familyResidentBytes } from '../helpers/process-family.ts';

/** The use of this machine's processors over a time. */
export type ProcessorUse = {
  /** Share of all cores that was busy, with any process. */
  readonly busyShare: number;
  /** Cores kept busy on average, by part; `speakers` is this process. */
  readonly cores: Readonly<Record<string, number>>;
  /** The most memory all servers had together, with their processes, in bytes. */
  readonly serverBytes: number;
};

const LOOK_EVERY_MS = 500;

/** Watches processes, which may come and go; call the result at the end. */
export function watchProcessors(
  processIds: () => Readonly<Record<string, readonly number[]>>,
): () => ProcessorUse {
  const startedMs = performance.now();
  const before = machineTime();
  const own = process.cpuUsage();
  const first = new Map<number, number>();
  const latest = new Map<number, { readonly part: string; readonly seconds: number }>();
  let serverBytes = 0;

  const take = (part: string, id: number) => {
    const seconds = familyCpuSeconds(id);
    // One that came later began at nothing; one that is gone has what it had.
    if (!first.has(id)) first.set(id, isFirstLook ? seconds : 0);
    if (seconds > 0) latest.set(id, { part, seconds });
  };
  const look = () => {
    const parts = processIds();
    for (const [part, ids] of Object.entries(parts)) for (const id of ids) take(part, id);
    const bytes = (parts.servers ?? []).map(familyResidentBytes);
    serverBytes = Math.max(
      serverBytes,
      bytes.reduce((sum, one) => sum + one, 0),
    );
  };
  let isFirstLook = true;
  look();
  isFirstLook = false;
  const timer = setInterval(look, LOOK_EVERY_MS);

  return () => {
    clearInterval(timer);
    look();
    const tookS = (performance.now() - startedMs) / 1_000;
    const after = machineTime();
    const { user, system } = process.cpuUsage(own);
    const cores: Record<string, number> = { speakers: (user + system) / 1e6 / tookS };
    for (const [id, { part, seconds }] of latest) {
      cores[part] = (cores[part] ?? 0) + (seconds - (first.get(id) ?? 0)) / tookS;
    }
    return {
      busyShare: 1 - (after.idle - before.idle) / (after.all - before.all),
      cores,
      serverBytes,
    };
  };
}

function machineTime() {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, time) => sum + time.idle, 0);
  const all = times.reduce(
    (sum, time) => sum + time.idle + time.user + time.sys + time.nice + time.irq,
    0,
  );
  return { idle, all };
}
