import { describe, expect, onTestFinished, test } from 'vitest';
import type { LevelReading } from '../../src/core/ribbon/level-reading.ts';
import { ribbonWorker } from '../../src/widget/ribbon-worker.ts';
import { showRibbon } from '../../src/widget/show-ribbon.ts';
import { devTools } from '../helpers/dev-tools.ts';
import { inChromium } from '../helpers/engine.ts';
import { colourOfNewestBar, inkOfNewestBar } from '../helpers/level-ribbon.ts';

function mount(ready?: Promise<Worker | null>) {
  const host = document.body.appendChild(document.createElement('span'));
  host.style.color = 'rgb(10, 20, 200)';
  const { port1, port2 } = new MessageChannel();
  const ended = new Promise<void>((resolve) => {
    port1.onmessage = ({ data }) => {
      if (data === 'end') resolve();
    };
  });
  const end = showRibbon(host, port2, ready);
  onTestFinished(() => {
    end();
    host.remove();
  });
  const canvas = () => host.querySelector('canvas')!;
  return {
    host,
    end,
    ended,
    canvas,
    ink: () => inkOfNewestBar(canvas()),
    hear: (reading: LevelReading) => port1.postMessage(reading),
  };
}

/** A canvas that was given to a worker cannot be drawn on here any more. */
function isGivenAway(canvas: HTMLCanvasElement): boolean {
  try {
    canvas.getContext('2d');
    return false;
  } catch {
    return true;
  }
}

describe.each([
  ['in a worker', undefined, true],
  ['on the page where there is no worker', Promise.resolve(null), false],
])('a level ribbon, drawn %s', (_where, ready, isElsewhere) => {
  test('shows each frame, speech fuller than noise and loud taller than soft', async () => {
    const { canvas, ink, hear } = mount(ready);
    await expect.poll(ink).toBeGreaterThan(0);
    expect(isGivenAway(canvas())).toBe(isElsewhere);
    const none = ink();
    hear({ levelDbfs: -20, isSpeaking: false });
    await expect.poll(ink).toBeGreaterThan(none);
    const noise = ink();
    hear({ levelDbfs: -20, isSpeaking: true });
    await expect.poll(ink).toBeGreaterThan(2 * noise);
    const loud = ink();
    hear({ levelDbfs: -50, isSpeaking: true });
    await expect.poll(ink).toBeLessThan(loud / 2);
    expect(ink()).toBeGreaterThan(none);
  });

  inChromium(
    'takes the colour of its place, when light becomes dark too (Firefox, WebKitGTK: a test cannot change the scheme)',
    async () => {
      const { host, canvas, ink, hear } = mount(ready);
      hear({ levelDbfs: 0, isSpeaking: true });
      await expect.poll(() => colourOfNewestBar(canvas())).toEqual([10, 20, 200]);
      expect(ink()).toBeGreaterThan(0);
      host.style.color = 'rgb(250, 200, 10)';
      const features = (value: string) => ({ features: [{ name: 'prefers-color-scheme', value }] });
      await devTools().send('Emulation.setEmulatedMedia', features('dark'));
      onTestFinished(async () => {
        await devTools().send('Emulation.setEmulatedMedia', features('light'));
      });
      await expect.poll(() => colourOfNewestBar(canvas())).toEqual([250, 200, 10]);
    },
  );

  test('tells the end of it to whoever tells the levels, before its beginning too', async () => {
    const shown = mount(ready);
    await expect.poll(shown.ink).toBeGreaterThan(0);
    shown.end();
    await shown.ended;
    expect(shown.host.querySelector('canvas')).toBeNull();
    const early = mount(ready);
    early.end();
    await early.ended;
  });
});

test('every ribbon of a page has the same worker', async () => {
  expect(await ribbonWorker()).toBeInstanceOf(Worker);
  expect(await ribbonWorker()).toBe(await ribbonWorker());
});
