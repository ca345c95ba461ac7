/** A place of the tests' window in pixels, from its upper left corner. */
export type Place = { readonly x: number; readonly y: number };
