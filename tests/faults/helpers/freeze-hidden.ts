import { WebSocket } from 'ws';

type Target = {
  readonly type: string;
  readonly url: string;
  readonly webSocketDebuggerUrl: string;
};

/**
 * Freezes the pages that are hidden in the browser at this address of its protocol; the function
 * thaws them. Without Playwright, which keeps every page it knows from being hidden.
 */
export async function freezeHidden(address: string): Promise<() => Promise<void>> {
  const list = await fetch(`http://${new URL(address).host}/json/list`);
  const targets = (await list.json()) as readonly Target[];
  const pages = targets.filter(({ type, url }) => type === 'page' && url.startsWith('http'));
  const sockets = await Promise.all(
    pages.map(({ webSocketDebuggerUrl }) => openSocket(webSocketDebuggerUrl)),
  );
  const setAll = async (state: 'frozen' | 'active'): Promise<void> => {
    await Promise.all(sockets.map((socket) => setState(socket, state)));
  };
  await setAll('frozen');
  return async () => {
    await setAll('active');
    for (const socket of sockets) socket.close();
  };
}

function openSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}

function setState(socket: WebSocket, state: 'frozen' | 'active'): Promise<void> {
  socket.send(JSON.stringify({ id: 1, method: 'Page.setWebLifecycleState', params: { state } }));
  return new Promise((resolve, reject) => {
    socket.once('message', (data) => {
      const { error } = JSON.parse(String(data)) as { error?: { message: string } };
      if (error) reject(new Error(error.message));
      else resolve();
    });
  });
}
