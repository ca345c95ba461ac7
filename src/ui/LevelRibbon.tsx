import { useEffect, useRef } from 'react';
import type { Dictation } from '../core/dictation.ts';

/** From barely audible to full scale: what the ribbon spans. */
const QUIETEST_DBFS = -60;
const BARS = 24;
const BAR_PX = 3;
const STEP_PX = 4;
const HEIGHT_PX = 24;
/** What is heard but not as speech is drawn faint. */
const FAINT = 0.35;

type Bar = { readonly share: number; readonly isSpeech: boolean };

/**
 * The last frames, one bar each: how loud, and whether heard as speech. For the eye only: its words
 * are in the recording bar. Drawn on a canvas at each frame, past React: ten a second for nothing.
 */
export function LevelRibbon({ dictation }: { readonly dictation: Dictation }) {
  const canvas = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext('2d');
    if (!element || !pen) return;
    let bars: readonly Bar[] = [];
    let lastFrame = -1;
    const scale = window.devicePixelRatio;
    element.width = BARS * STEP_PX * scale;
    element.height = HEIGHT_PX * scale;
    pen.scale(scale, scale);

    const draw = (): void => {
      const { judgedFrames, levelDbfs, isSpeaking } = dictation.getSnapshot().session;
      if (judgedFrames === lastFrame) return;
      lastFrame = judgedFrames;
      bars = [...bars.slice(1 - BARS), { share: shareOf(levelDbfs), isSpeech: isSpeaking }];
      // Asked each time, so that a change between light and dark is followed.
      pen.fillStyle = getComputedStyle(element).color;
      paint(pen, bars);
    };
    draw();
    return dictation.subscribe(draw);
  }, [dictation]);

  return <canvas ref={canvas} className="ribbon" aria-hidden />;
}

function paint(pen: CanvasRenderingContext2D, bars: readonly Bar[]): void {
  pen.clearRect(0, 0, BARS * STEP_PX, HEIGHT_PX);
  // The newest on the right.
  const from = BARS - bars.length;
  for (let slot = 0; slot < BARS; slot += 1) {
    const bar = bars[slot - from] ?? { share: 0, isSpeech: false };
    const height = Math.max(BAR_PX, bar.share * HEIGHT_PX);
    pen.globalAlpha = bar.isSpeech ? 1 : FAINT;
    pen.beginPath();
    pen.roundRect(slot * STEP_PX, (HEIGHT_PX - height) / 2, BAR_PX, height, BAR_PX / 2);
    pen.fill();
  }
}

function shareOf(levelDbfs: number): number {
  return Math.min(1, Math.max(0, (levelDbfs - QUIETEST_DBFS) / -QUIETEST_DBFS));
}
