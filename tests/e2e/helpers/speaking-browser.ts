import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';

/** A browser whose microphone plays a file from its beginning each time it is opened. */
export type SpeakingBrowser = {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page wrote on the console as an error. */
  readonly errors: readonly string[];
  close(): Promise<void>;
};

export type SpeakingBrowserOptions = {
  /** A WAV file, best at 48 kHz. */
  readonly wavPath: string;
  readonly url: string;
  /** Refuse the microphone. @default false */
  readonly refusesMicrophone?: boolean;
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
};

/** Opens the page in Chromium with a file for a voice. */
export async function openSpeakingBrowser(
  options: SpeakingBrowserOptions,
): Promise<SpeakingBrowser> {
  const executablePath = process.env.DIKTERA_BROWSER;
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--use-fake-device-for-media-stream',
      ...(options.refusesMicrophone
        ? ['--deny-permission-prompts']
        : ['--use-fake-ui-for-media-stream']),
      `--use-file-for-fake-audio-capture=${options.wavPath}%noloop`,
    ],
  });
  const context = await browser.newContext({
    locale: 'sv-SE',
    viewport: options.viewport ?? { width: 1_000, height: 760 },
    colorScheme: options.colorScheme ?? 'light',
    ...(options.refusesMicrophone ? {} : { permissions: ['microphone', 'clipboard-read'] }),
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(options.url);
  return { browser, context, page, errors, close: () => browser.close() };
}
