/**
 * What the ribbon worker is told. `Canvas` is the realm's OffscreenCanvas, `Port` its MessagePort.
 */
export type RibbonOrder<Canvas, Port> =
  | {
      readonly kind: 'draw';
      readonly id: number;
      readonly canvas: Canvas;
      /** Tells a `LevelReading` for each bar. */
      readonly levels: Port;
      readonly scale: number;
      readonly colour: string;
    }
  | { readonly kind: 'recolour'; readonly id: number; readonly colour: string }
  | { readonly kind: 'end'; readonly id: number };

/** The worker's only answer, sent once: the script is loaded. */
export type RibbonReport = 'ready';
