/** A session of WebDriver (https://www.w3.org/TR/webdriver2/): what our tests need of it. */
export type WebDriver = {
  /** A command of the session by its path; what it answers. Throws what the driver says. */
  command(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>;
  close(): Promise<void>;
};

/** How long a driver may take until it answers at all. */
const START_MS = 30_000;
const ASK_AGAIN_MS = 50;

/** Waits for the driver at an address and begins a session. */
export async function webDriver(address: string, capabilities: object): Promise<WebDriver> {
  await answering(address);
  const { sessionId } = (await ask('POST', `${address}/session`, {
    capabilities: { alwaysMatch: capabilities },
  })) as { readonly sessionId: string };
  const session = `${address}/session/${sessionId}`;
  return {
    command: (method, path, body) => ask(method, `${session}/${path}`, body),
    close: async () => void (await ask('DELETE', session)),
  };
}

async function answering(address: string): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    try {
      await ask('GET', `${address}/status`);
      return;
    } catch (error) {
      if (performance.now() - startedMs > START_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
  }
}

async function ask(method: string, url: string, body?: object): Promise<unknown> {
  const content = method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {};
  const response = await fetch(url, { method, ...content });
  const { value } = (await response.json()) as { readonly value: unknown };
  if (response.ok) return value;
  const { error, message } = value as { readonly error: string; readonly message: string };
  throw new Error(`WebDriver: ${error}: ${message}`);
}
