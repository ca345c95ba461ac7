/**
 * What a page tells, through the port of a level meter, so that the worker draws the ribbon itself
 * and no reading is sent. `Canvas` is the realm's OffscreenCanvas.
 */
export type RibbonOrder<Canvas> =
  | {
      readonly kind: 'draw';
      readonly canvas: Canvas;
      /** Device pixels to a CSS pixel. */
      readonly scale: number;
      readonly colour: string;
    }
  | { readonly kind: 'recolour'; readonly colour: string };
