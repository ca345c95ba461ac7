import {
  commandOf,
  familyOf,
  mostResidentBytes,
  residentBytes,
} from '../helpers/process-family.ts';

/** Looks at the memory of a server and its processes, again and again. */
export type MemoryWatch = {
  /** Begins a new measurement, with the present memory as its first value. */
  fromNow(): MemoryView;
  /** Processes started so far. */
  processes(): number;
  stop(): void;
};

export type MemoryView = {
  /** The largest sum of all processes at any reading, in bytes. */
  mostBytes(): number;
  /** The most the server's own process had at the looks. */
  mostOwnBytes(): number;
  /** The most any one of its decoding processes ever had, as the system counts it. */
  mostOfOneDecoder(): number;
};

type Most = { all: number; own: number; ofOneDecoder: number };

const LOOK_EVERY_MS = 100;

/** Begins to look. */
export function watchMemory(pid: number): MemoryWatch {
  const known = new Set<number>();
  const views: Most[] = [];

  function look(): void {
    const now: Most = { all: 0, own: 0, ofOneDecoder: 0 };
    for (const id of familyOf(pid)) {
      known.add(id);
      const bytes = residentBytes(id);
      now.all += bytes;
      if (id === pid) now.own = bytes;
      else if (commandOf(id).includes('decode-child'))
        now.ofOneDecoder = Math.max(now.ofOneDecoder, mostResidentBytes(id));
    }
    for (const most of views) {
      most.all = Math.max(most.all, now.all);
      most.own = Math.max(most.own, now.own);
      most.ofOneDecoder = Math.max(most.ofOneDecoder, now.ofOneDecoder);
    }
  }

  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    fromNow() {
      const most: Most = { all: 0, own: 0, ofOneDecoder: 0 };
      views.push(most);
      look();
      return {
        mostBytes: () => most.all,
        mostOwnBytes: () => most.own,
        mostOfOneDecoder: () => most.ofOneDecoder,
      };
    },
    processes: () => known.size,
    stop: () => clearInterval(timer),
  };
}
