/** The newest bar of a ribbon, wherever it is drawn, as pixels. */
function newestBar(canvas: HTMLCanvasElement): Uint8ClampedArray {
  const width = canvas.width / 24;
  const copy = new OffscreenCanvas(width, canvas.height).getContext('2d')!;
  copy.drawImage(canvas, width - canvas.width, 0);
  return copy.getImageData(0, 0, width, canvas.height).data;
}

/** The ink of the newest bar: more for a taller and fuller one. */
export function inkOfNewestBar(canvas: HTMLCanvasElement): number {
  return newestBar(canvas).reduce((sum, value, at) => sum + (at % 4 === 3 ? value : 0), 0);
}

/** Red, green and blue in the middle of the newest bar. */
export function colourOfNewestBar(canvas: HTMLCanvasElement): readonly number[] {
  const pixels = newestBar(canvas);
  const middle =
    4 * (Math.floor(pixels.length / 8 / (canvas.width / 24)) * (canvas.width / 24) + 1);
  return [...pixels.slice(middle, middle + 3)];
}
