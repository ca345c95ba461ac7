/**
 * Whether the page's editing is Firefox's, which has ways of its own that can't be seen before an
 * edit. Known by a command that only its editor has.
 */
export const isGecko = (page: Document): boolean =>
  page.queryCommandSupported('enableCompatibleJoinSplitDirection');
