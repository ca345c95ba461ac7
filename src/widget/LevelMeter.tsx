import { useDeferredValue, useEffect, useRef, useSyncExternalStore } from 'react';
import {
  createLevelMeter,
  type LevelPort,
  METER_HEIGHT_PX,
  METER_WIDTH_PX,
  type MeterOrder,
} from '../core/audio/level-meter.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import { isGecko } from '../field/dom.ts';
import { useSnapshot } from './hooks.ts';

/**
 * A bar each 288 ms: for each the browser composes the picture of the page again, which costs
 * more than all else that is done for a frame.
 */
const FRAMES_PER_BAR = 3;

/**
 * The last moments, one bar each: how loud, and whether heard as speech. For the eye only: its words
 * are in the recording bar. Drawn past React, and not at all while nobody can see the page.
 */
export function LevelMeter({ dictation }: { readonly dictation: Dictation }) {
  const host = useRef<HTMLSpanElement>(null);
  // Levels come from a worker: another one tells them through another port.
  const takeovers = useSnapshot(dictation, ({ session }) => session.takeovers);
  const isSeen = useIsSeen();
  // Once the page shows that it records: to make a canvas in that task would have it laid out twice.
  const isDue = useDeferredValue(true, false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: takeovers has the port asked for anew.
  useEffect(() => {
    if (!(host.current && isSeen && isDue)) return;
    return showLevelMeter(host.current, dictation.levels(FRAMES_PER_BAR));
  }, [dictation, takeovers, isSeen, isDue]);
  return <span ref={host} className="level-meter" aria-hidden />;
}

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/** True while the page is in front: false behind another tab, and in a minimised window. */
function useIsSeen(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => document.visibilityState === 'visible',
    () => true,
  );
}

/** A meter being drawn somewhere. */
type Drawn = { recolour(colour: string): void };

/** Media queries whose change alters the colour. */
const COLOUR_QUERIES = ['(prefers-color-scheme: dark)', '(forced-colors: active)'];

/**
 * Draws a level meter into `host`, in its colour: by the worker that tells the levels, or here
 * where there is none or it can't be given a canvas (Firefox). Returns its end.
 */
export function showLevelMeter(host: HTMLElement, levels: LevelPort): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  // An element of its own each time: a canvas can be given to a worker only once.
  const canvas = document.createElement('canvas');
  const scale = window.devicePixelRatio;
  canvas.width = METER_WIDTH_PX * scale;
  canvas.height = METER_HEIGHT_PX * scale;
  host.append(canvas);
  const colour = (): string => getComputedStyle(host).color;

  // Firefox (153) loses the message that brings a port the canvas of a page.
  const canBeGiven = 'transferControlToOffscreen' in canvas && !isGecko();
  const drawn =
    canBeGiven && levels instanceof MessagePort
      ? drawInWorker(canvas, levels, scale, colour())
      : drawHere(canvas, levels, scale, colour());
  for (const query of COLOUR_QUERIES) {
    matchMedia(query).addEventListener('change', () => drawn?.recolour(colour()), { signal });
  }

  return () => {
    listening.abort();
    levels.postMessage('end');
    levels.close();
    canvas.remove();
  };
}

function drawInWorker(
  canvas: HTMLCanvasElement,
  levels: MessagePort,
  scale: number,
  colour: string,
): Drawn {
  const tell = (order: MeterOrder<OffscreenCanvas>, transfer: Transferable[] = []): void =>
    levels.postMessage(order, transfer);
  const surface = canvas.transferControlToOffscreen();
  tell({ kind: 'draw', canvas: surface, scale, colour }, [surface]);
  return { recolour: (next) => tell({ kind: 'recolour', colour: next }) };
}

function drawHere(
  canvas: HTMLCanvasElement,
  levels: LevelPort,
  scale: number,
  colour: string,
): Drawn | null {
  const pen = canvas.getContext('2d');
  const meter = pen && createLevelMeter(pen, scale, colour);
  levels.addEventListener('message', ({ data }) => meter?.show(data));
  levels.start();
  return meter;
}
