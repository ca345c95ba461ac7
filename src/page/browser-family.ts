/** Browsers that keep their permissions in different places. */
export type BrowserFamily = 'chromium' | 'firefox' | 'safari';

/**
 * Which words about permissions fit; for nothing else, since a user agent's name proves nothing.
 */
export function browserFamily(userAgent: string): BrowserFamily {
  if (/Firefox|FxiOS/.test(userAgent)) return 'firefox';
  // Chromium calls itself Safari too.
  return /Safari/.test(userAgent) && !/Chrom(e|ium)|CriOS|Edg/.test(userAgent)
    ? 'safari'
    : 'chromium';
}
