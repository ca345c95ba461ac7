import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { EngineNews, EngineOrder, EnginePoolShape } from './engine-orders.ts';

/** The stand-in engines, in a process of their own. */
export type EnginePool = {
  readonly processId: number;
  /** Has an engine work at a share of its speed, 1 being as before. */
  setSpeed(engine: number, share: number): void;
  die(engine: number): void;
  live(engine: number): void;
  /** Every recording that was transcribed to its end, as often as it was, by its sound. */
  heard(): Promise<readonly string[]>;
  stop(): void;
};

const PROGRAM = fileURLToPath(new URL('./engine-process.ts', import.meta.url));

/** Starts them. */
export async function startEngines(shape: EnginePoolShape): Promise<EnginePool> {
  const child = fork(PROGRAM, [JSON.stringify(shape)], { execArgv: ['--import', 'tsx'] });
  const order = (said: EngineOrder) => void child.send(said);
  const news = <Kind extends EngineNews['kind']>(kind: Kind) =>
    new Promise<Extract<EngineNews, { kind: Kind }>>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the engines’ process ended')));
      child.on('message', function listen(said: EngineNews) {
        if (said.kind !== kind) return;
        child.off('message', listen);
        resolve(said as Extract<EngineNews, { kind: Kind }>);
      });
    });
  await news('ready');
  return {
    processId: child.pid ?? 0,
    setSpeed: (engine, share) => order({ kind: 'speed', engine, share }),
    die: (engine) => order({ kind: 'die', engine }),
    live: (engine) => order({ kind: 'live', engine }),
    async heard() {
      const report = news('report');
      order({ kind: 'report' });
      return (await report).heard;
    },
    stop: () => child.disconnect(),
  };
}
