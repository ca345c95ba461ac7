import { assertNever } from '../../src/core/assert-never.ts';
import type { Backlog } from './backlog.ts';
import type { DrainTurn } from './drain-turn.ts';
import type { ItemUploader } from './item-uploader.ts';
import type { QueueCache } from './queue-cache-port.ts';
import type { QueueCommands } from './queue-commands.ts';
import type { QueueMessage, SettledHow } from './queue-tabs.ts';

export type QueueMessageHandlerPorts = {
  readonly backlog: Pick<Backlog, 'run' | 'wake' | 'urge'>;
  readonly turn: Pick<DrainTurn, 'answer' | 'heard'>;
  readonly uploader: Pick<ItemUploader, 'forgetRefusal' | 'abort'>;
  readonly commands: Pick<QueueCommands, 'discardUnstored'>;
  readonly cache: Pick<QueueCache, 'settledElsewhere' | 'doubtedElsewhere'>;
  readonly onSettled: (id: string, how: SettledHow) => void;
  /** The network may be back. */
  readonly wake: () => void;
  /** The queue is to be shown anew. */
  readonly publish: () => void;
};

/** Makes what a queue does with a message from another tab's. */
export function createQueueMessageHandler(
  ports: QueueMessageHandlerPorts,
): (message: QueueMessage) => void {
  const { backlog, turn, uploader, commands, cache, onSettled, wake, publish } = ports;
  return (message) => {
    switch (message.kind) {
      case 'stored':
        backlog.run();
        break;
      case 'settled':
        onSettled(message.id, message.how);
        cache.settledElsewhere(message.id, message.durationSamples, message.texts);
        // Its round would go on until the next answer, and send again what is deleted.
        uploader.abort(message.id);
        backlog.run();
        break;
      case 'doubted':
        void cache.doubtedElsewhere(message.id, message.state, message.texts);
        break;
      case 'sender-asked':
        turn.answer();
        break;
      case 'sender-lives':
        turn.heard();
        break;
      case 'wake':
        wake();
        break;
      case 'retry':
        uploader.forgetRefusal();
        publish();
        if (message.itemId === null) backlog.wake();
        else backlog.urge(message.itemId);
        break;
      case 'wiped':
        void commands.discardUnstored(message.spared);
        break;
      default:
        assertNever(message);
    }
  };
}
