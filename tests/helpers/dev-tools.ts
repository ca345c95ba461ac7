import { cdp } from 'vitest/browser';

/** A method of Playwright's browser session that its type lacks. */
export type DevTools = { send(method: string, params: object): Promise<unknown> };

export const devTools = (): DevTools => cdp() as unknown as DevTools;
