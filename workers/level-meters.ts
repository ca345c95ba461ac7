import type { LevelReading } from '../src/core/ribbon/level-reading.ts';

/** Ports of level meters, past the snapshots and the page's main thread. */
export type LevelMeters = {
  /**
   * Tells the port a reading of so many frames, again and again, until anything comes back through
   * it.
   */
  add(port: MessagePort, framesPerReading: number): void;
  /** Takes a frame's reading. */
  tell(reading: LevelReading): void;
};

/** What a meter has not been told yet. */
type Untold = {
  readonly framesPerReading: number;
  readonly frames: number;
  readonly reading: LevelReading;
};

const NOTHING = {
  frames: 0,
  reading: { levelDbfs: Number.NEGATIVE_INFINITY, isSpeaking: false },
} as const;

export function createLevelMeters(): LevelMeters {
  const meters = new Map<MessagePort, Untold>();

  function tellOne(port: MessagePort, untold: Untold, frame: LevelReading): void {
    const frames = untold.frames + 1;
    const reading: LevelReading = {
      levelDbfs: Math.max(untold.reading.levelDbfs, frame.levelDbfs),
      isSpeaking: untold.reading.isSpeaking || frame.isSpeaking,
    };
    const isDue = frames >= untold.framesPerReading;
    meters.set(port, { ...untold, ...(isDue ? NOTHING : { frames, reading }) });
    if (isDue) port.postMessage(reading);
  }

  return {
    add(port, framesPerReading) {
      meters.set(port, { framesPerReading, ...NOTHING });
      port.onmessage = () => {
        meters.delete(port);
        port.close();
      };
    },
    tell(reading) {
      for (const [port, untold] of meters) tellOne(port, untold, reading);
    },
  };
}
