import { samplesToMs } from '../core/audio-format.ts';
import type { Dictation } from '../core/dictation.ts';
import type { QueueItemHead } from '../core/queue-item.ts';
import { STRINGS } from './strings.ts';
import { useSnapshot } from './use-snapshot.ts';

type WaitingListProps = {
  readonly dictation: Dictation;
  /** Puts a text at the cursor; false if it could not. */
  readonly insert: (text: string) => Promise<boolean>;
  readonly copy: (text: string) => Promise<boolean>;
};

/** Speech that is not yet in the user's hands: waiting to be sent, or text that came late. */
export function WaitingList({ dictation, insert, copy }: WaitingListProps) {
  const items = useSnapshot(dictation, ({ queue }) => queue.items);
  const runningId = useSnapshot(dictation, ({ session }) => session.id);
  // What belongs to the running session comes by the ordinary way.
  const waiting = items.filter(({ sessionId }) => sessionId !== runningId);
  if (waiting.length === 0) return null;
  const words = STRINGS.waiting;
  return (
    <section className="waiting" aria-labelledby="waiting-title">
      <div className="waiting-head">
        <h2 id="waiting-title">{words.title}</h2>
        <button type="button" className="tool" onClick={() => dictation.retry(null)}>
          {words.retryAll}
        </button>
      </div>
      <ul>
        {waiting.map((item) => (
          <li key={item.id} data-state={item.state.kind}>
            <WaitingItem item={item} dictation={dictation} insert={insert} copy={copy} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function WaitingItem({
  item,
  dictation,
  insert,
  copy,
}: WaitingListProps & { readonly item: QueueItemHead }) {
  const words = STRINGS.waiting;
  const { state } = item;
  const seconds = Math.max(1, Math.round(samplesToMs(item.durationSamples) / 1_000));
  const remove = (): void => {
    if (window.confirm(words.confirmRemove)) dictation.discard(item.id);
  };
  return (
    <>
      <span className="waiting-words">
        {state.kind === 'transcribed' ? state.text : words.states[state.kind]}
        <span className="waiting-facts"> {words.duration(seconds)}</span>
      </span>
      {state.kind === 'transcribed' && (
        <>
          <button
            type="button"
            className="tool"
            onClick={() =>
              void insert(state.text).then((isInserted) => {
                if (isInserted) dictation.discard(item.id);
              })
            }
          >
            {words.insert}
          </button>
          <button type="button" className="tool" onClick={() => void copy(state.text)}>
            {words.copy}
          </button>
        </>
      )}
      <button type="button" className="tool is-quiet" onClick={remove}>
        {words.remove}
      </button>
    </>
  );
}
