import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { hasSoundServer } from '../../tools/browsers.ts';
import { startSoundServer } from '../drivers/sound-server.ts';
import { type PromptingFirefox, startPromptingFirefox } from './helpers/prompting-firefox.ts';

// Firefox's own prompt for the microphone, answered as a person answers it.

const FIRST = 'Fake Default Audio Input';
const SECOND = 'Fake Audio Input 1';
const JABRA = 'Jabra Speak 510';

/** Longer than a microphone may take that nobody need be asked for. */
const LONG_S = 9;

const executablePath = process.env.DIKTERA_FIREFOX;
const serverUrl = inject('serverUrl');

describe.skipIf(!executablePath || !hasSoundServer())(
  "Firefox's own prompt (left out without one, or without PulseAudio)",
  () => {
    let endSound: (() => void) | null = null;
    let firefox: PromptingFirefox;

    beforeAll(async () => {
      endSound = await startSoundServer([], [FIRST, SECOND, JABRA]);
    });

    afterAll(() => endSound?.());

    beforeEach(async () => {
      firefox = await startPromptingFirefox(executablePath ?? '');
      await open();
    });

    afterEach(() => firefox.end());

    async function open(): Promise<void> {
      await firefox.open(serverUrl);
      await firefox.press('[role="textbox"]');
      await expect.poll(() => has('.tool-dictate')).toBe(true);
    }

    const has = (selector: string): Promise<boolean> =>
      firefox.inPage('return document.querySelector(arguments[0]) !== null', selector);

    const press = (): Promise<void> => firefox.press('.tool-dictate');

    async function untilRecorded(seconds: number): Promise<void> {
      const recorded = (): Promise<number> =>
        firefox.inPage(
          `return Number(document.querySelector('.recording-time')?.getAttribute('datetime').slice(2, -1) ?? 0)`,
        );
      await expect.poll(recorded).toBeGreaterThanOrEqual(seconds);
    }

    async function stop(): Promise<void> {
      await press();
      await expect
        .poll(() => has('.note-foot:not([data-phase=idle], [data-phase=stopped])'), {
          timeout: 30_000,
        })
        .toBe(false);
    }

    const notices = (): Promise<readonly string[]> =>
      firefox.inPage(
        `return [...document.querySelectorAll('.notice')].map((each) => each.innerText)`,
      );

    test('nothing gives up under it, however long it takes, and what was picked is not asked for twice', async () => {
      await press();
      await expect.poll(firefox.prompt).toContain(SECOND);
      await firefox.allow(SECOND);
      await untilRecorded(1);
      await stop();

      // The permission was for that time, and Firefox calls it given.
      await open();
      await press();
      await expect.poll(firefox.prompt).toContain(SECOND);
      await new Promise((resolve) => setTimeout(resolve, LONG_S * 1_000));
      expect(await notices()).toEqual([]);
      expect(await firefox.prompt()).toContain(SECOND);
      await firefox.allow(SECOND);
      // The list of microphones has come by then.
      await untilRecorded(2);
      expect(await firefox.prompt()).toBeNull();
      expect(await notices()).toEqual([]);
      await stop();
    });

    test('a preferred microphone is not asked for while one speaks, but at the next press, once', async () => {
      await press();
      await expect.poll(firefox.prompt).toContain(JABRA);
      await firefox.allow(FIRST);
      await untilRecorded(2);
      expect(await firefox.prompt()).toBeNull();
      await stop();

      await press();
      await expect.poll(firefox.prompt).toEqual([JABRA]);
      await firefox.allow(JABRA);
      await untilRecorded(2);
      expect(await firefox.prompt()).toBeNull();
      await stop();

      // Loaded anew, the page has names of none yet: the first press has it all the same.
      await open();
      await press();
      await expect.poll(firefox.prompt).toEqual([JABRA]);
      await firefox.allow(JABRA);
      await untilRecorded(1);
      await stop();
    });
  },
);
