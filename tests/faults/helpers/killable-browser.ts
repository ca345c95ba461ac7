import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright';
import { type EndWatch, killWithParent } from './kill-with-parent.ts';

const ARGUMENTS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--autoplay-policy=no-user-gesture-required',
  '--no-first-run',
  '--remote-debugging-port=0',
];

const UNTHROTTLED = [
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
];

/** A browser with a profile on disk, which can be killed as by a power cut, and started again. */
export type KillableBrowser = {
  start(): Promise<void>;
  /** A new tab at the address. */
  open(url: string): Promise<Page>;
  /**
   * Leaves the browser to itself for a while, with an empty tab in front of the others; gives what
   * was open. As long as somebody is connected, no page of it is ever hidden.
   */
  leaveAlone(durationMs: number): Promise<readonly Page[]>;
  /** Stops every process of the browser for a while, as a computer that sleeps does. */
  sleep(durationMs: number): Promise<void>;
  /** SIGKILL to every process of the browser. */
  kill(): Promise<void>;
  /** Ends it and deletes the profile. */
  dispose(): Promise<void>;
};

export function createKillableBrowser(isThrottled = false): KillableBrowser {
  const browserArguments = isThrottled ? ARGUMENTS : [...ARGUMENTS, ...UNTHROTTLED];
  const profile = mkdtempSync(join(tmpdir(), 'diktera-faults-'));
  let child: ChildProcess | null = null;
  let browser: Browser | null = null;
  let address = '';
  let endWatch: EndWatch = () => {};

  async function kill(): Promise<void> {
    const killed = child;
    if (!killed?.pid) return;
    child = null;
    endWatch();
    const gone = new Promise((resolve) => killed.once('exit', resolve));
    // The browser leads a process group of its own: its renderers and its disk writer die with it.
    process.kill(-killed.pid, 'SIGKILL');
    await gone;
    await browser?.close().catch(() => {});
    browser = null;
  }

  return {
    kill,
    async start() {
      const path = process.env.DIKTERA_BROWSER ?? chromium.executablePath();
      child = spawn(path, [...browserArguments, `--user-data-dir=${profile}`, 'about:blank'], {
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      if (child.pid) endWatch = killWithParent(child.pid, profile);
      address = await addressOf(child);
      browser = await chromium.connectOverCDP(address);
    },
    async leaveAlone(durationMs) {
      const [context] = browser?.contexts() ?? [];
      await (await context?.newPage())?.bringToFront();
      await browser?.close();
      await new Promise((resolve) => setTimeout(resolve, durationMs));
      browser = await chromium.connectOverCDP(address);
      return browser.contexts()[0]?.pages() ?? [];
    },
    async open(url) {
      const context = browser?.contexts()[0];
      if (!context) throw new Error('The browser is not running');
      const page = await context.newPage();
      page.on('dialog', (dialog) => void dialog.accept().catch(() => {}));
      await page.goto(url);
      return page;
    },
    async sleep(durationMs) {
      const { pid } = child ?? {};
      if (!pid) return;
      process.kill(-pid, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, durationMs));
      process.kill(-pid, 'SIGCONT');
    },
    async dispose() {
      await kill();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('exit', (code) => reject(new Error(`The browser ended (${code}): ${said}`)));
    child.stderr?.on('data', (piece: Buffer) => {
      said += piece.toString();
      const [, address] = /DevTools listening on (ws:\S+)/.exec(said) ?? [];
      if (address) resolve(address);
    });
  });
}
