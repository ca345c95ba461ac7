import { cdp } from 'vitest/browser';

/** What Playwright's session with the browser can do that its type does not say. */
export type DevTools = { send(method: string, params: object): Promise<unknown> };

export const devTools = (): DevTools => cdp() as unknown as DevTools;
