import { toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { QueueTabs } from './queue-tabs.ts';

/** What a turn needs. */
export type DrainTurnPorts = {
  readonly tabs: Pick<QueueTabs, 'takeDrain'>;
  readonly log: Logger;
  readonly onTurn: () => void;
};

/** This tab's turn to send what waits: one tab has it at a time. */
export type DrainTurn = {
  /** Waits for it, from the first call on. */
  ask(): void;
  readonly isOurs: boolean;
  /** Gives it back, or up waiting for it. */
  dispose(): void;
};

/** Makes a turn that nobody has asked for. */
export function createDrainTurn({ tabs, log, onTurn }: DrainTurnPorts): DrainTurn {
  const closing = new AbortController();
  let release: (() => void) | undefined;
  let isAsked = false;

  async function wait(): Promise<void> {
    try {
      const taken = await tabs.takeDrain(closing.signal);
      if (closing.signal.aborted) taken?.();
      else release = taken;
      onTurn();
    } catch (thrown) {
      log.error('The queue cannot be drained', toErrorInfo(thrown, 'storage-failed'));
    }
  }

  return {
    ask() {
      if (isAsked) return;
      isAsked = true;
      void wait();
    },
    get isOurs() {
      return release !== undefined;
    },
    dispose() {
      closing.abort();
      release?.();
    },
  };
}
