import { describe, expect, onTestFinished, test } from 'vitest';
import type { LevelPort, LevelReading } from '../../src/core/audio/level-meter.ts';
import { showLevelMeter } from '../../src/widget/LevelMeter.tsx';
import { createLevelMeters } from '../../workers/snapshot-publisher.ts';
import { devTools } from '../helpers/dev-tools.ts';
import { inChromium, isFirefox } from '../helpers/engine.ts';
import { colourOfNewestBar, inkOfNewestBar } from '../helpers/level-meter.ts';

/** A source of levels: the worker's meters over a port, which draw themselves, or another one. */
type Source = { readonly levels: LevelPort; tell(reading: LevelReading): void };

function workersMeters(): Source {
  const meters = createLevelMeters();
  const { port1, port2 } = new MessageChannel();
  meters.add(port1, 1);
  return { levels: port2, tell: meters.tell };
}

function anotherSource(): Source {
  let listener: Parameters<LevelPort['addEventListener']>[1] = () => {};
  return {
    tell: (data) => listener({ data }),
    levels: {
      addEventListener(_message, next) {
        listener = next;
      },
      postMessage() {
        listener = () => {};
      },
      start() {},
      close() {},
    },
  };
}

function mount(source: Source) {
  const host = document.body.appendChild(document.createElement('span'));
  host.style.color = 'rgb(10, 20, 200)';
  const end = showLevelMeter(host, source.levels);
  onTestFinished(() => {
    end();
    host.remove();
  });
  const canvas = () => host.querySelector('canvas')!;
  return { host, end, canvas, ink: () => inkOfNewestBar(canvas()), hear: source.tell };
}

/** A canvas that was given away cannot be drawn on here any more. */
function isGivenAway(canvas: HTMLCanvasElement): boolean {
  try {
    canvas.getContext('2d');
    return false;
  } catch {
    return true;
  }
}

describe.each([
  ['by the worker that tells the levels, where a canvas gets there', workersMeters, true],
  ['on the page where no worker tells them', anotherSource, false],
])('a level ribbon, drawn %s', (_where, source, mayBeElsewhere) => {
  test('shows each frame, speech fuller than noise and loud taller than soft', async () => {
    const { canvas, ink, hear } = mount(source());
    await expect.poll(ink).toBeGreaterThan(0);
    expect(isGivenAway(canvas())).toBe(mayBeElsewhere && !isFirefox);
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
      const { host, canvas, ink, hear } = mount(source());
      await expect.poll(ink).toBeGreaterThan(0);
      hear({ levelDbfs: 0, isSpeaking: true });
      await expect.poll(() => colourOfNewestBar(canvas())).toEqual([10, 20, 200]);
      host.style.color = 'rgb(250, 200, 10)';
      const features = (value: string) => ({ features: [{ name: 'prefers-color-scheme', value }] });
      await devTools().send('Emulation.setEmulatedMedia', features('dark'));
      onTestFinished(async () => {
        await devTools().send('Emulation.setEmulatedMedia', features('light'));
      });
      await expect.poll(() => colourOfNewestBar(canvas())).toEqual([250, 200, 10]);
    },
  );
});

test('tells the end of it to whoever tells the levels, before its beginning too', async () => {
  const { port1, port2 } = new MessageChannel();
  const told: unknown[] = [];
  port1.onmessage = ({ data }) => told.push(data?.kind ?? data);
  const { host, end } = mount({ levels: port2, tell: () => {} });
  end();
  await expect.poll(() => told.at(-1)).toBe('end');
  expect(told).toEqual(isFirefox ? ['end'] : ['draw', 'end']);
  expect(host.querySelector('canvas')).toBeNull();
});
