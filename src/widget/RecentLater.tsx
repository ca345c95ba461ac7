import { fetchedLater } from './fetched-later.tsx';

/** `RecentDictations`, its script fetched when it is first wanted. */
export const RecentLater = fetchedLater(
  async () => (await import('./RecentDictations.tsx')).RecentDictations,
);
