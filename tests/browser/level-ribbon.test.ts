import { expect, onTestFinished, test } from 'vitest';
import type { LevelReading } from '../../src/core/ribbon/level-reading.ts';
import { showRibbon } from '../../src/widget/show-ribbon.ts';
import { devTools } from '../helpers/dev-tools.ts';
import { inChromium } from '../helpers/engine.ts';
import { colourOfNewestBar, inkOfNewestBar } from '../helpers/level-ribbon.ts';

function mount() {
  const host = document.body.appendChild(document.createElement('span'));
  host.style.color = 'rgb(10, 20, 200)';
  const { port1, port2 } = new MessageChannel();
  const ended = new Promise<void>((resolve) => {
    port1.onmessage = ({ data }) => {
      if (data === 'end') resolve();
    };
  });
  const end = showRibbon(host, port2);
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

test('shows each frame, speech fuller than noise and loud taller than soft', async () => {
  const { ink, hear } = mount();
  await expect.poll(ink).toBeGreaterThan(0);
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
    const { host, canvas, ink, hear } = mount();
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
  const shown = mount();
  await expect.poll(shown.ink).toBeGreaterThan(0);
  shown.end();
  await shown.ended;
  expect(shown.host.querySelector('canvas')).toBeNull();
  const early = mount();
  early.end();
  await early.ended;
});
