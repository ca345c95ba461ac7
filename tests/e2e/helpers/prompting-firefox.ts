import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killWithParent } from '../../drivers/processes.ts';
import { until } from '../../helpers/until.ts';

/**
 * A Firefox whose prompt for the microphone is the real one: a person answers it, and nobody else
 * does. Playwright can't reach what is not the page, so it speaks Firefox's own Marionette.
 */
export type PromptingFirefox = {
  open(url: string): Promise<void>;
  /** Runs the body of a function in the page, and gives what it returns. */
  inPage<T>(script: string, ...args: readonly unknown[]): Promise<T>;
  /** Presses an element as a person does. */
  press(selector: string): Promise<void>;
  /** The prompt that asks now: the microphones that it offers, or null for none. */
  prompt(): Promise<readonly string[] | null>;
  /** Presses Allow in the prompt, for the microphone of that name. */
  allow(label: string): Promise<void>;
  end(): void;
};

const PREFERENCES = {
  'marionette.port': 0,
  // A permission for one time ends with it, and not an hour later.
  'privacy.webrtc.deviceGracePeriodTimeoutMs': 0,
  // A press is taken as soon as the prompt is there.
  'security.notification_enable_delay': 0,
  'intl.accept_languages': 'en-US',
  'media.autoplay.default': 0,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'browser.aboutwelcome.enabled': false,
} as const;

/** Finds the prompt in the browser's own window. */
const IN_PROMPT = `
  const { PopupNotifications, document } = Services.wm.getMostRecentWindow('navigator:browser');
  // A panel that has been answered may take its time to go.
  const isAsking = PopupNotifications.panel.state === 'open' && PopupNotifications.getNotification('webRTC-shareDevices');
  const prompt = isAsking ? PopupNotifications.panel.firstElementChild : null;
  const menu = document.getElementById('webRTC-selectMicrophone-menulist');
`;

export async function startPromptingFirefox(executablePath: string): Promise<PromptingFirefox> {
  const profile = mkdtempSync(join(tmpdir(), 'diktera-prompt-'));
  const preferences = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, 'user.js'), preferences.join('\n'));
  const browser = spawn(
    executablePath,
    [
      '--headless',
      '--marionette',
      '--remote-allow-system-access',
      '--no-remote',
      '--profile',
      profile,
    ],
    { stdio: 'ignore', detached: true },
  );
  const endWatch = browser.pid === undefined ? () => {} : killWithParent(browser.pid, profile);
  const portFile = join(profile, 'MarionetteActivePort');
  const portNow = (): number => {
    try {
      return Number(readFileSync(portFile, 'utf8'));
    } catch {
      return 0;
    }
  };
  await until(async () => portNow() > 0, { timeout: 60_000 });
  const link = await openLink(portNow());
  await link.send('WebDriver:NewSession', { capabilities: {} });

  async function runIn<T>(
    context: 'chrome' | 'content',
    script: string,
    args: readonly unknown[],
  ): Promise<T> {
    await link.send('Marionette:SetContext', { value: context });
    const answer = await link.send('WebDriver:ExecuteScript', { script, args });
    return (answer as { readonly value: T }).value;
  }

  return {
    async open(url) {
      await link.send('Marionette:SetContext', { value: 'content' });
      await link.send('WebDriver:Navigate', { url });
    },
    inPage: (script, ...args) => runIn('content', script, args),
    async press(selector) {
      await link.send('Marionette:SetContext', { value: 'content' });
      const found = await link.send('WebDriver:FindElement', {
        using: 'css selector',
        value: selector,
      });
      const [id] = Object.values((found as { readonly value: Record<string, string> }).value);
      await link.send('WebDriver:ElementClick', { id });
    },
    prompt: () =>
      runIn(
        'chrome',
        `${IN_PROMPT} return prompt && [...menu.menupopup.children].map(({ label }) => label);`,
        [],
      ),
    async allow(label) {
      await runIn(
        'chrome',
        `${IN_PROMPT}
        menu.selectedItem = [...menu.menupopup.children].find((item) => item.label === arguments[0]);
        prompt.button.click();`,
        [label],
      );
    },
    end() {
      link.end();
      endWatch();
      if (browser.pid !== undefined) process.kill(-browser.pid, 'SIGKILL');
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

type Answer = [type: number, id: number, error: unknown, result: unknown];

/** Marionette: JSON with its length before it, a number with each question and its answer. */
async function openLink(port: number) {
  const socket: Socket = connect(port, '127.0.0.1');
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let received = Buffer.alloc(0);
  let asked = 0;

  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    for (;;) {
      const colon = received.indexOf(':');
      const end = colon + 1 + Number(received.subarray(0, Math.max(0, colon)));
      if (colon < 0 || received.length < end) return;
      const message: unknown = JSON.parse(received.subarray(colon + 1, end).toString());
      received = received.subarray(end);
      // The first one only greets.
      if (Array.isArray(message)) take(message as Answer);
    }
  });

  function take([, id, error, result]: Answer): void {
    if (error) waiting.get(id)?.reject(new Error(JSON.stringify(error)));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  }

  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return {
    send(name: string, parameters: object): Promise<unknown> {
      asked += 1;
      const text = JSON.stringify([0, asked, name, parameters]);
      return new Promise((resolve, reject) => {
        waiting.set(asked, { resolve, reject });
        socket.write(`${Buffer.byteLength(text)}:${text}`);
      });
    },
    end: () => socket.destroy(),
  };
}
