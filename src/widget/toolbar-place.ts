/** How far below the caret the toolbar floats (spec, section 2). */
export const TOOLBAR_OFFSET_PX = 27;

/** So near it comes to the edge of the window. */
export const WINDOW_PADDING_PX = 8;
