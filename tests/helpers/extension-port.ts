import type { createDictationServer } from '../../src/extension/serve-dictation.ts';

type Handler = (...args: never[]) => void;

/** One end of a port, which carries JSON as Chrome's do. */
function createEnd() {
  const messages = new Set<Handler>();
  const ends = new Set<Handler>();
  const list = (all: Set<Handler>) => ({
    addListener: (each: Handler) => void all.add(each),
    removeListener: (each: Handler) => void all.delete(each),
  });
  return { messages, ends, onMessage: list(messages), onDisconnect: list(ends) };
}

/** A port of the extension of this id, between a page of this origin and the server of a dictation. */
export function connectPort(
  server: ReturnType<typeof createDictationServer>,
  sender: { readonly id: string; readonly origin: string },
) {
  const [here, there] = [createEnd(), createEnd()];
  const port = (own: typeof here, other: typeof here) => ({
    ...own,
    name: 'dictation',
    sender,
    postMessage(message: unknown) {
      const text = JSON.stringify(message);
      queueMicrotask(() => {
        for (const hear of other.messages) hear(JSON.parse(text) as never);
      });
    },
    disconnect() {},
  });
  server.serve(port(there, here) as unknown as chrome.runtime.Port);
  return {
    port: port(here, there),
    /** Ends it, as an offscreen document or a page that goes does. */
    cut(): void {
      for (const end of [...here.ends, ...there.ends]) end();
    },
  };
}
