import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright';
import { CHROMIUM_ARGUMENTS } from '../../../tools/testing/browser-project.ts';
import { type EndWatch, killWithParent } from '../../drivers/processes.ts';
import { freezeHidden } from './freeze-hidden.ts';

const ARGUMENTS = [
  ...CHROMIUM_ARGUMENTS,
  '--headless=new',
  '--autoplay-policy=no-user-gesture-required',
  '--no-first-run',
  '--remote-debugging-port=0',
];

const UNTHROTTLED = [
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
];

const EMPTY_PAGE = 'about:blank';
const MAX_CLOSING_MS = 5_000;

/**
 * A browser with a profile on disk, which can be killed as a power cut would, and started again.
 */
export type KillableBrowser = {
  start(): Promise<void>;
  isRunning(): boolean;
  /** A new tab at the address. */
  open(url: string): Promise<Page>;
  /**
   * Leaves the browser to itself for a while, with an empty tab in front of the others; gives what
   * was open. As long as somebody is connected, no page of it is ever hidden. `isFrozen`: those
   * hidden run nothing meanwhile, as in a telephone's browser.
   */
  leaveAlone(durationMs: number, isFrozen?: boolean): Promise<readonly Page[]>;
  /** Stops every process of the browser for a while, as a computer that sleeps does. */
  sleep(durationMs: number): Promise<void>;
  /** Closes every tab but the empty one it began with; false when one does not close. */
  closePages(): Promise<boolean>;
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
    isRunning: () => child?.exitCode === null && child.signalCode === null,
    async closePages() {
      const pages = browser?.contexts()[0]?.pages() ?? [];
      const closed = Promise.all(
        pages.filter((page) => page.url() !== EMPTY_PAGE).map((page) => page.close()),
      );
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), MAX_CLOSING_MS);
      });
      return Promise.race([closed.then(() => true), late]).finally(() => clearTimeout(timer));
    },
    async start() {
      const path = process.env.DIKTERA_BROWSER ?? chromium.executablePath();
      child = spawn(path, [...browserArguments, `--user-data-dir=${profile}`, EMPTY_PAGE], {
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      if (child.pid) endWatch = killWithParent(child.pid, profile);
      address = await addressOf(child);
      browser = await chromium.connectOverCDP(address);
    },
    async leaveAlone(durationMs, isFrozen = false) {
      const [context] = browser?.contexts() ?? [];
      await (await context?.newPage())?.bringToFront();
      await browser?.close();
      const thaw = isFrozen ? await freezeHidden(address) : async () => {};
      await new Promise((resolve) => setTimeout(resolve, durationMs));
      await thaw();
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
