import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, TestRunner } from 'vitest';
import { CHROMIUM_ARGUMENTS } from '../../../tools/testing/browser-project.ts';

/** A browser whose microphone plays a file from its beginning each time it is opened. */
export type SpeakingBrowser = {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors that the page wrote to the console. */
  readonly errors: readonly string[];
  /** Ends the page and all it has stored. */
  close(): Promise<void>;
};

export type SpeakingBrowserOptions = {
  /** A WAV file, best at 48 kHz. */
  readonly wavPath: string;
  readonly url: string;
  /** Refuse the microphone. @default false */
  readonly refusesMicrophone?: boolean;
  readonly colorScheme?: 'light' | 'dark';
  /** The browser's language. @default 'en-US' */
  readonly locale?: string;
  /** Lets the page be kept for opening without a network. @default false */
  readonly isApp?: boolean;
  /** The page's own language is what it finds in the browser. @default Swedish is chosen before */
  readonly isAsFound?: boolean;
  readonly viewport?: { readonly width: number; readonly height: number };
};

/** The browsers of a file's tests, by voice: each test has a profile of its own in one of them. */
const browsers = new Map<string, Browser>();

afterAll(async () => {
  for (const browser of browsers.values()) await browser.close();
  browsers.clear();
});

async function takeBrowser(wavPath: string, refusesMicrophone: boolean): Promise<Browser> {
  const key = `${wavPath} ${refusesMicrophone}`;
  const known = browsers.get(key);
  if (known?.isConnected()) return known;
  const executablePath = process.env.DIKTERA_BROWSER;
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [
      ...CHROMIUM_ARGUMENTS,
      '--use-fake-device-for-media-stream',
      refusesMicrophone ? '--deny-permission-prompts' : '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${wavPath}%noloop`,
    ],
  });
  browsers.set(key, browser);
  return browser;
}

/** Opens the page in Chromium with a file for a voice. */
export async function openSpeakingBrowser(
  options: SpeakingBrowserOptions,
): Promise<SpeakingBrowser> {
  const browser = await takeBrowser(options.wavPath, options.refusesMicrophone ?? false);
  const context = await browser.newContext({
    // The language of the clips, and of the server that most tests share.
    locale: options.locale ?? 'en-US',
    viewport: options.viewport ?? { width: 1_000, height: 760 },
    colorScheme: options.colorScheme ?? 'light',
    // It would answer in place of the tests that change what the page fetches.
    serviceWorkers: options.isApp ? 'allow' : 'block',
    ...(options.refusesMicrophone ? {} : { permissions: ['microphone', 'clipboard-read'] }),
  });
  if (!options.isAsFound) await context.addInitScript(chooseSwedish);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  const tell = watchPage(page);
  await page.goto(options.url);
  return {
    browser,
    context,
    page,
    errors,
    async close() {
      // A failure that comes once in fifty runs must explain itself here.
      if (TestRunner.getCurrentTest()?.result?.state === 'fail') console.log(await tell());
      await context.close();
    },
  };
}

/** Follows a page; the answer tells what it has said, when, and what it shows. */
function watchPage(page: Page): () => Promise<string> {
  const openedAtMs = performance.now();
  const lines: string[] = [];
  const note = (line: string): void => {
    lines.push(`${Math.round(performance.now() - openedAtMs)} ms: ${line}`);
  };
  page.on('console', (message) => note(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => note(error.message));
  page.on('worker', (worker) => {
    note(`a worker: ${worker.url()}`);
    worker.on('close', () => note(`its end: ${worker.url()}`));
  });
  return async () => {
    const body = page.locator('body');
    const seen = await body.ariaSnapshot({ timeout: 2_000 }).catch((error) => String(error));
    return ['The page has said', ...lines, 'and shows', seen].join('\n');
  };
}

/** Runs in the page: Swedish, unless something else was chosen there already. */
export function chooseSwedish(): void {
  try {
    localStorage['diktera:settings'] ??= '{"interfaceLanguage":"sv"}';
  } catch {
    // A page that has no storage.
  }
}
