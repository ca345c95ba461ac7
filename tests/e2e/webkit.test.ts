import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { findWebKit, hasSoundServer } from '../../tools/browsers.ts';
import { startSoundServer } from '../drivers/sound-server.ts';
import { keyActions, openWebKitWindow, type WebKitWindow } from '../drivers/webkit.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';

// A voice in the room of a real sound server, which WebKitGTK's own microphone hears: judged by its
// words. What Safari does with a microphone (permission, interruptions) is not tried here.

const MAX_ERRORS = 0.3;
const CLIP = 'dictation-one';
/** Its longest words; a row says more than these. */
const WORDS = SPOKEN_WORDS[CLIP].split(/\W+/).filter((word) => word.length > 5);
const SOME_OF_IT = new RegExp(WORDS.join('|'), 'i');
/** A press goes to where the button was when it was looked for. */
const IS_TOOLBAR_PLACED = `
  const button = document.querySelector('.tool-dictate');
  const { left, top, width, height } = button.getBoundingClientRect();
  const isInFront = button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  const isStill = window.placedAt === left + ' ' + top;
  window.placedAt = left + ' ' + top;
  return isInFront && isStill;`;
const ELEMENT_KEY = 'element-6066-11e4-a52e-4f735466cecf';
const programs = findWebKit();
const canSpeak = programs !== null && hasSoundServer();
const serverUrl = inject('serverUrl');

let endSound: (() => void) | null = null;
let window: WebKitWindow | null = null;
let voice: ChildProcess | null = null;

beforeAll(async () => {
  if (canSpeak) endSound = await startSoundServer();
});

afterAll(() => endSound?.());

afterEach(async () => {
  voice?.kill();
  await window?.close();
  window = null;
});

async function openPage() {
  if (!programs) throw new Error('No WebKitGTK here');
  window = await openWebKitWindow(programs, 'real');
  const { driver } = window;
  const open = () => driver.command('POST', 'url', { url: serverUrl });
  const run = (script: string) => driver.command('POST', 'execute/sync', { script, args: [] });
  await open();
  // The page is Swedish, what is said is English, and the browser's language is this machine's.
  await run(`localStorage.setItem('diktera:settings', '{"language":"en"}')`);
  await open();
  const has = (selector: string) => run(`return !!document.querySelector('${selector}')`);
  /** Presses the first of these that is there. */
  async function click(selector: string): Promise<void> {
    const find = { using: 'css selector', value: selector };
    await expect.poll(() => has(selector)).toBe(true);
    const found = (await driver.command('POST', 'element', find)) as Record<string, string>;
    await driver.command('POST', `element/${found[ELEMENT_KEY]}/click`);
  }
  return {
    run,
    click,
    reload: () => driver.command('POST', 'refresh'),
    go: (path: string) => driver.command('POST', 'url', { url: serverUrl + path }),
    /** Begins to record in the field, and waits until it is heard. */
    async startDictating() {
      await click('.field-text');
      await expect.poll(() => run(IS_TOOLBAR_PLACED)).toBe(true);
      await click('.tool-dictate');
      await expect.poll(() => has('[data-phase=recording] .microphone')).toBe(true);
    },
    async expectOffered() {
      const row = () => run(`return document.querySelector('.waiting li')?.innerText ?? ''`);
      await expect.poll(row, { timeout: 60_000 }).toMatch(SOME_OF_IT);
    },
    async keyboard(keys: string) {
      const { actions } = keyActions(keys, []);
      const source = { type: 'key', id: 'keyboard', actions };
      await driver.command('POST', 'actions', { actions: [source] });
    },
    text: async () => String(await run(`return document.querySelector('.field-text').innerText`)),
    has,
  };
}

async function speak(): Promise<void> {
  const file = `tests/fixtures/${CLIP}.wav`;
  const player = spawn('paplay', ['--device=room', file], { stdio: 'ignore' });
  voice = player;
  await new Promise((resolve) => player.once('exit', resolve));
}

describe.skipIf(!canSpeak)('WebKitGTK (left out without one, or without PulseAudio)', () => {
  test('what is said into the microphone is put where the cursor was', async () => {
    const page = await openPage();
    await page.click('.field-text');
    await page.keyboard(`before after${'{ArrowLeft}'.repeat(' after'.length)}`);
    // The toolbar steps aside for whoever types; the microphone at the foot of the note stays.
    await page.click('.microphone');
    await expect.poll(() => page.has('[data-phase=recording] .microphone')).toBe(true);
    await speak();
    await page.click('[data-phase=recording] .microphone');
    const spoken = async () => /^before (.*) after$/s.exec(await page.text())?.[1] ?? '';
    await expect
      .poll(async () => wordErrorRate(SPOKEN_WORDS[CLIP], await spoken()), { timeout: 60_000 })
      .toBeLessThanOrEqual(MAX_ERRORS);
    expect(await page.has('.waiting li')).toBe(false);
  });

  test('what was said before a reload is offered as text', async () => {
    const page = await openPage();
    await page.startDictating();
    await speak();
    await page.reload();
    await page.expectOffered();
  });

  test('a page that is kept with its worker while it records keeps nobody from what was said', async () => {
    const page = await openPage();
    await page.run(
      `addEventListener('pagehide', ({ persisted }) => localStorage.setItem('kept', persisted))`,
    );
    await page.startDictating();
    await speak();
    await page.go('/benchmark.html');
    expect(await page.run(`return localStorage.getItem('kept')`)).toBe('true');
    await page.go('/');
    await page.expectOffered();
  });
});
