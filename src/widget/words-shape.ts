import type { STRINGS } from './strings.ts';

/** The same shape, with any words in it. */
type AnyWords<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof T]: AnyWords<T[Key]> };

/**
 * Every word of the interface, in some language. Swedish is what the others must be complete to.
 */
export type Words = AnyWords<typeof STRINGS>;
