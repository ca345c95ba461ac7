import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BrowserContext, chromium, type Frame, type Page, type Worker } from 'playwright';
import { EXTENSION, EXTENSION_ID } from '../../../tools/build-extension.ts';
import { CHROMIUM_ARGUMENTS } from '../../../tools/testing/browser-project.ts';

/** The same, let into all sites: nobody can press the button of the dialog that asks for it. */
const EXTENSION_EVERYWHERE = `${EXTENSION}-everywhere`;

/** Makes it of the built one. */
export function allowAllSites(): void {
  rmSync(EXTENSION_EVERYWHERE, { recursive: true, force: true });
  cpSync(EXTENSION, EXTENSION_EVERYWHERE, { recursive: true });
  const path = join(EXTENSION_EVERYWHERE, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...manifest, host_permissions: ['<all_urls>'] }));
}

/** Waits until something is true or there, and answers it; the measurements, which run without Vitest, wait so too. */
async function until<Found>(
  find: () => Found | Promise<Found>,
  { timeout = 10_000, interval = 50 } = {},
): Promise<Found> {
  const deadlineMs = performance.now() + timeout;
  for (;;) {
    const found = await find();
    if (found) return found;
    if (performance.now() >= deadlineMs) throw new Error(`Not so within ${timeout} ms: ${find}`);
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
}

/** Where Debian's Chromium looks for what an organisation has set. */
const SYSTEM_FOLDER = '/etc/chromium';

/**
 * True if a browser can be started for which an organisation has set something: Debian's Chromium, in
 * a view of the file system of its own, so that other browsers of this machine do not see it.
 */
export function canSetPolicy(): boolean {
  const { status } = spawnSync('unshare', ['-rm', 'mount', '--bind', tmpdir(), SYSTEM_FOLDER]);
  return process.env.DIKTERA_BROWSER !== undefined && status === 0;
}

/** A program that starts the browser with a policy. */
function managedBrowser(profile: string, policy: object): string {
  const folder = join(profile, 'system');
  mkdirSync(join(folder, 'policies', 'managed'), { recursive: true });
  const all = { '3rdparty': { extensions: { [EXTENSION_ID]: policy } } };
  writeFileSync(join(folder, 'policies', 'managed', 'diktera.json'), JSON.stringify(all));
  const program = join(profile, 'managed-browser.sh');
  const mount = `mount --bind '${folder}' ${SYSTEM_FOLDER}`;
  const start = `exec '${process.env.DIKTERA_BROWSER}' "$@"`;
  writeFileSync(
    program,
    `#!/bin/sh\nexec unshare -rm sh -c '${`${mount} && ${start}`.replaceAll("'", `'\\''`)}' sh "$@"\n`,
  );
  chmodSync(program, 0o755);
  return program;
}

/** A browser with the built extension, whose microphone plays a file from its beginning. */
export type ExtensionBrowser = Awaited<ReturnType<typeof openExtensionBrowser>>;

type Options = {
  /** @default a sentence of six seconds */
  readonly wavPath?: string;
  readonly serverUrl: string;
  /** In every field, as if the person had allowed all sites, or by a press alone. @default 'all' */
  readonly access?: 'all' | 'click';
  /** Refuse the microphone. @default false */
  readonly refusesMicrophone?: boolean;
  /** More settings of the extension. @default none */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The organisation's policy for the extension; see `canSetPolicy`. @default nothing */
  readonly policy?: Readonly<Record<string, unknown>>;
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
  /** Of a browser that was closed before. @default a new one */
  readonly profile?: string;
};

/** Opens it in a profile of its own; `close` deletes that unless it was given. */
export async function openExtensionBrowser(options: Options) {
  const profile = options.profile ?? mkdtempSync(join(tmpdir(), 'diktera-extension-'));
  const wavPath = resolve(options.wavPath ?? 'tests/fixtures/dictation-one.wav');
  const executablePath = options.policy
    ? managedBrowser(profile, options.policy)
    : process.env.DIKTERA_BROWSER;
  const locale = options.locale ?? 'en-US';
  const access = options.access ?? 'all';
  const extension = access === 'all' ? EXTENSION_EVERYWHERE : EXTENSION;
  const context = await chromium.launchPersistentContext(profile, {
    ...(executablePath ? { executablePath } : { channel: 'chromium' }),
    headless: true,
    locale,
    viewport: { width: 1_000, height: 760 },
    colorScheme: options.colorScheme ?? 'light',
    args: [
      ...CHROMIUM_ARGUMENTS,
      `--lang=${locale}`,
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
      // DevTools may press the toolbar's button.
      '--enable-unsafe-extension-debugging',
      '--use-fake-device-for-media-stream',
      options.refusesMicrophone ? '--deny-permission-prompts' : '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${wavPath}%noloop`,
    ],
  });
  const background = async (): Promise<Worker> =>
    context.serviceWorkers().find((worker) => worker.url().includes(EXTENSION_ID)) ??
    (await context.waitForEvent('serviceworker'));
  const settings = { serverUrl: options.serverUrl, ...options.settings };
  await (await background()).evaluate(
    (given) => chrome.storage.local.set({ settings: given }),
    settings,
  );
  if (access === 'all')
    await until(async () =>
      (await background()).evaluate(
        async () => (await chrome.scripting.getRegisteredContentScripts()).length > 0,
      ),
    );
  const page = await context.newPage();
  return {
    context,
    page,
    profile,
    background,
    /** A page of the extension in a tab. */
    async openOwn(name: 'popup' | 'options'): Promise<Page> {
      const own = await context.newPage();
      await own.goto(`chrome-extension://${EXTENSION_ID}/${name}.html`);
      return own;
    },
    /** Presses the command's keys, which no driver can: they are the browser's. */
    async pressCommand(): Promise<void> {
      const worker = await background();
      await worker.evaluate(async () => {
        const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
        const event = chrome.commands.onCommand as unknown as {
          dispatch(command: string, tab: chrome.tabs.Tab | undefined): void;
        };
        event.dispatch('dictate', tab);
      });
    },
    /** Presses the toolbar's button beside a page, whose address no other tab has. */
    async pressAction(beside: Page): Promise<void> {
      const devTools = await context.browser()?.newBrowserCDPSession();
      if (!devTools) throw new Error('The browser has no session for itself');
      const { targetInfos } = await devTools.send('Target.getTargets', {
        filter: [{ type: 'tab' }],
      });
      const tab = targetInfos.find(({ url }) => url === beside.url());
      // Newer than the driver's types.
      const send = devTools.send.bind(devTools) as (name: never, of: object) => Promise<unknown>;
      await send('Extensions.triggerAction' as never, {
        id: EXTENSION_ID,
        targetId: tab?.targetId,
      });
    },
    /** Ends the service worker, as Chrome does after half a minute without work. */
    async endBackground(): Promise<void> {
      const own = await this.openOwn('options');
      const devTools = await context.newCDPSession(own);
      const ended = new Promise<void>((done) => {
        devTools.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
          const isEnded = versions.some(({ runningStatus }) => runningStatus === 'stopped');
          if (isEnded) done();
        });
      });
      await devTools.send('ServiceWorker.enable');
      await devTools.send('ServiceWorker.stopAllWorkers');
      await ended;
      await own.close();
    },
    /** Kills the browser, as a power cut does. */
    async kill(): Promise<void> {
      const closed = context.waitForEvent('close');
      for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
        const command = readCommand(name);
        const isIt = command.includes(`--user-data-dir=${profile}`) && !command.includes('--type=');
        if (isIt) process.kill(Number(name), 'SIGKILL');
      }
      await closed;
    },
    async close(): Promise<void> {
      await context.close();
      if (options.profile === undefined) rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** A process that has just ended has none. */
function readCommand(processId: string): string {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Diktera's tools beside a frame's fields: their tree is closed, so that only DevTools see in. */
export type Tools = Awaited<ReturnType<typeof toolsIn>>;

type Node = {
  readonly nodeId: number;
  readonly nodeName: string;
  readonly children?: readonly Node[];
  readonly shadowRoots?: readonly Node[];
  readonly contentDocument?: Node;
};

export async function toolsIn(context: BrowserContext, place: Page | Frame) {
  const devTools = await context.newCDPSession(place);
  await devTools.send('DOM.enable');

  /** The shadow roots of all tools. */
  async function trees(): Promise<readonly number[]> {
    const { root } = await devTools.send('DOM.getDocument', { depth: -1, pierce: true });
    const found: number[] = [];
    const visit = (node: Node): void => {
      const inside = [...(node.children ?? []), ...(node.shadowRoots ?? [])];
      if (node.nodeName === 'DIKTERA-TOOLS')
        found.push(...(node.shadowRoots ?? []).map(({ nodeId }) => nodeId));
      for (const each of inside) visit(each);
      if (node.contentDocument) visit(node.contentDocument);
    };
    visit(root as Node);
    return found;
  }

  async function find(selector: string): Promise<number | null> {
    for (const nodeId of await trees()) {
      const found = await devTools
        .send('DOM.querySelector', { nodeId, selector })
        .catch(() => ({ nodeId: 0 }));
      if (found.nodeId !== 0) return found.nodeId;
    }
    return null;
  }

  const markup = async (selector: string): Promise<string | null> => {
    const nodeId = await find(selector);
    if (nodeId === null) return null;
    const { outerHTML } = await devTools
      .send('DOM.getOuterHTML', { nodeId })
      .catch(() => ({ outerHTML: null }));
    return outerHTML;
  };

  return {
    /** The number of tools in the frame's DOM. */
    count: async (): Promise<number> => (await trees()).length,
    markup,
    /** Presses the middle of an element, when it is there; holds it until `held` is over. */
    async press(selector: string, held: Promise<unknown> | null = null): Promise<void> {
      const quads = await until(async () => {
        const nodeId = await find(selector);
        if (nodeId === null) return null;
        const answer = await devTools
          .send('DOM.getContentQuads', { nodeId })
          .catch(() => ({ quads: [] }));
        return answer.quads[0] ?? null;
      });
      const [x = 0, y = 0, , , right = 0, bottom = 0] = quads ?? [];
      const at = {
        x: (x + right) / 2,
        y: (y + bottom) / 2,
        button: 'left',
        clickCount: 1,
      } as const;
      await devTools.send('Input.dispatchMouseEvent', { ...at, type: 'mouseMoved' });
      await devTools.send('Input.dispatchMouseEvent', { ...at, type: 'mousePressed' });
      await held;
      await devTools.send('Input.dispatchMouseEvent', { ...at, type: 'mouseReleased' });
    },
    /** Waits until so much has been recorded. */
    async untilRecorded(seconds: number): Promise<void> {
      const isRecorded = async () => {
        const time = await markup('.recording-time');
        return Number(/datetime="PT([\d.]+)S"/i.exec(time ?? '')?.[1] ?? 0) >= seconds;
      };
      await until(isRecorded, { timeout: (seconds + 30) * 1_000, interval: 200 });
    },
    /** Waits until nothing is recorded or written down for this frame any more. */
    async untilOver(): Promise<void> {
      const isOver = async () => (await markup('.recording-bar')) === null;
      await until(isOver, { timeout: 60_000, interval: 200 });
    },
  };
}
