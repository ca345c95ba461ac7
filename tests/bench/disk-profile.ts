import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright';
import { launchOptions } from './live-cost.ts';

/** A browser that speaks, with a profile of its own on disk: without one it keeps in memory what is stored. */
export type DiskProfile = {
  readonly context: BrowserContext;
  readonly browser: Browser;
  /** Ends the browser and throws the profile away. */
  close(): Promise<void>;
};

/** `more`: arguments for the browser. */
export async function openDiskProfile(more: readonly string[] = []): Promise<DiskProfile> {
  const folder = mkdtempSync(join(tmpdir(), 'diktera-profile-'));
  const options = launchOptions();
  const context = await chromium.launchPersistentContext(folder, {
    ...options,
    args: [...(options.args ?? []), ...more],
    locale: 'en-US',
    permissions: ['microphone'],
  });
  const browser = context.browser();
  if (!browser) throw new Error('The browser cannot be asked for its processes');
  return {
    context,
    browser,
    async close() {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
