import type { Clock } from '../../src/core/clock.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/delivery-verdict.ts';
import { toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import {
  type ChunkText,
  type RecordingRecord,
  withDelivered,
} from '../../src/core/recordings/recording-record.ts';
import { doubtOf } from '../queue/text-doubt.ts';
import { createTurns } from '../queue/turns.ts';

type Change = (record: RecordingRecord) => RecordingRecord;

export type DeliveredTextsPorts = {
  /** Undefined if the recording is not stored, or not any more. */
  readonly change: (id: string, change: Change) => Promise<RecordingRecord | undefined>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onNoted: () => void;
};

/** Texts of chunks that are in the user's hands, on their way into their recordings. */
export type DeliveredTexts = {
  add(item: QueueItemHead, verdict: Exclude<DeliveryVerdict, false>): void;
  /**
   * Changes a recording in its turn; `withTexts` adds what was delivered before there was anything
   * of it in the store, which is the rule for one of less than a minute.
   */
  inTurn(
    id: string,
    work: (withTexts: Change) => Promise<RecordingRecord | undefined>,
  ): Promise<void>;
  /** Writes what storage did not take; rejects if it still does not. */
  writeRest(): Promise<void>;
};

export function createDeliveredTexts(ports: DeliveredTextsPorts): DeliveredTexts {
  const { change, clock, log, onNoted } = ports;
  const turns = createTurns();
  const pending = new Map<string, ChunkText[]>();
  /** All that is delivered at once is written at once. */
  const scheduled = new Set<string>();

  /** What is given until it is stored stays pending. */
  async function inTurn(
    id: string,
    work: (withTexts: Change) => Promise<RecordingRecord | undefined>,
  ): Promise<void> {
    await turns.run(id, async () => {
      const given = pending.get(id) ?? [];
      const isNoted = await work((record) =>
        given.length === 0 ? record : withDelivered(record, given, clock.nowMs()),
      );
      if (!isNoted) return;
      const rest = (pending.get(id) ?? []).filter((text) => !given.includes(text));
      if (rest.length > 0) pending.set(id, rest);
      else pending.delete(id);
    });
  }

  async function note(id: string): Promise<void> {
    scheduled.delete(id);
    try {
      await inTurn(id, (withTexts) => change(id, withTexts));
      onNoted();
    } catch (thrown) {
      const error = toErrorInfo(thrown, 'storage-failed');
      log.error('A delivered text could not be written into its recording', error);
    }
  }

  return {
    add({ sessionId, number, part, isLive, state, speechSamples }, verdict) {
      if (state.kind !== 'transcribed') return;
      // A worker that died before its answer was stored left a text that only the page knows.
      const unknown = doubtOf({ text: state.text, isComplete: true }, { speechSamples });
      const doubt = state.doubt ?? (verdict === 'altered' ? 'altered' : unknown);
      const texts = pending.get(sessionId) ?? [];
      const flow = isLive ? { isLive } : {};
      texts.push({ number, part, ...flow, text: state.text, doubt });
      pending.set(sessionId, texts);
      if (scheduled.has(sessionId)) return;
      scheduled.add(sessionId);
      void Promise.resolve().then(() => note(sessionId));
    },
    inTurn,
    async writeRest() {
      for (const id of [...pending.keys()]) await inTurn(id, (withTexts) => change(id, withTexts));
    },
  };
}
