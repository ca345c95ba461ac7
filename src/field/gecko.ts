/**
 * Whether the page's editing is Firefox's, which has ways of its own that can't be seen before an
 * edit. Known by a property that only its styles have; asking about a command of its editor would
 * have Chromium lay the page out.
 */
export const isGecko = (): boolean => CSS.supports('-moz-orient', 'inline');
