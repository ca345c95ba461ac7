import type { LevelReading } from '../src/core/ribbon/level-reading.ts';

/** Ports of level meters, past the snapshots and the page's main thread. */
export type LevelMeters = {
  /** Tells the port every frame's level until anything comes back through it. */
  add(port: MessagePort): void;
  tell(reading: LevelReading): void;
};

export function createLevelMeters(): LevelMeters {
  const ports = new Set<MessagePort>();
  return {
    add(port) {
      ports.add(port);
      port.onmessage = () => {
        ports.delete(port);
        port.close();
      };
    },
    tell({ levelDbfs, isSpeaking }) {
      for (const port of ports) port.postMessage({ levelDbfs, isSpeaking } satisfies LevelReading);
    },
  };
}
