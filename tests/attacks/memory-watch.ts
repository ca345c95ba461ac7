import {
  commandOf,
  familyOf,
  mostResidentBytes,
  residentBytes,
} from '../helpers/process-family.ts';

/** Looks at the memory of a server and its processes, again and again. */
export type MemoryWatch = {
  /** Begins anew with what there is now. */
  mark(): void;
  /** The most all had together, in bytes: at the looks. */
  mostBytes(): number;
  /** The most the server's own process had at the looks. */
  mostOwnBytes(): number;
  /** The most any one of its decoding processes ever had, as the system counts it. */
  mostOfOneDecoder(): number;
  /** How many processes it has had so far. */
  processes(): number;
  stop(): void;
};

const LOOK_EVERY_MS = 100;

/** Begins to look. */
export function watchMemory(pid: number): MemoryWatch {
  const known = new Set<number>();
  let most = 0;
  let mostOwn = 0;
  let mostOfOne = 0;

  function look(): void {
    let all = 0;
    for (const id of familyOf(pid)) {
      known.add(id);
      const bytes = residentBytes(id);
      all += bytes;
      if (id === pid) mostOwn = Math.max(mostOwn, bytes);
      else if (commandOf(id).includes('decode-child'))
        mostOfOne = Math.max(mostOfOne, mostResidentBytes(id));
    }
    most = Math.max(most, all);
  }

  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    mark() {
      most = 0;
      mostOwn = 0;
      look();
    },
    mostBytes: () => most,
    mostOwnBytes: () => mostOwn,
    mostOfOneDecoder: () => mostOfOne,
    processes: () => known.size,
    stop: () => clearInterval(timer),
  };
}
