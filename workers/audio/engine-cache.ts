import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import type { EngineChoice, SpeechEngine } from '../../src/core/speech/speech-engine.ts';

type EngineCachePorts = {
  readonly load: (choice: EngineChoice) => Promise<SpeechEngine>;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
};

export type EngineCache = ReturnType<typeof createEngineCache>;

/** Keeps the speech engine between sessions, so that only the first one waits for it. */
export function createEngineCache({ load, log, dispatch }: EngineCachePorts) {
  type Held = { readonly key: string; readonly engine: Promise<SpeechEngine | null> };
  let held: Held | null = null;

  function tellFailed(error: ErrorInfo): void {
    dispatch({ kind: 'engine-changed', engine: { kind: 'failed', error } });
    dispatch({ kind: 'notice-raised', notice: 'engine-failed', error });
  }

  /** Tells nothing of an engine whose place another has taken meanwhile. */
  async function loadAndTell(choice: EngineChoice, isWanted: () => boolean) {
    dispatch({ kind: 'engine-changed', engine: { kind: 'loading' } });
    try {
      const engine = await load(choice);
      if (!isWanted()) return engine;
      dispatch({ kind: 'engine-changed', engine: { kind: 'ready', engine: engine.kind } });
      dispatch({ kind: 'notice-cleared', notice: 'engine-failed' });
      return engine;
    } catch (thrown) {
      log.error('The speech detector could not be loaded; all audio is kept', thrown);
      if (!isWanted()) return null;
      held = null;
      tellFailed(toErrorInfo(thrown, 'engine-failed'));
      return null;
    }
  }

  function letGo(): void {
    void held?.engine.then((old) => old?.dispose());
    held = null;
  }

  return {
    /** The wanted engine, loaded once; null if it can't be had, and the next call tries again. */
    get(choice: EngineChoice): Promise<SpeechEngine | null> {
      const { engine: key } = choice;
      if (held?.key === key) return held.engine;
      letGo();
      const loading: Held = { key, engine: loadAndTell(choice, () => held === loading) };
      held = loading;
      return loading.engine;
    },
    /**
     * It failed at work, so its state is unknown: it is told and let go, and the next `get` loads one
     * anew.
     */
    giveUp(error: ErrorInfo) {
      letGo();
      tellFailed(error);
    },
  };
}
