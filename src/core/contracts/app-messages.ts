/** Messages of a page to its site's service worker. */
export type AppMessage =
  /** Take over all pages from now on: the person wants the new build, or no page is in use. */
  | { readonly kind: 'take-over' }
  /** A page was opened: files of builds that no open page uses may be deleted. */
  | { readonly kind: 'page-here' };

/** The service worker's message to every page when it takes over, and its answer to `page-here`. */
export type AppAnswer = {
  readonly kind: 'build-here';
  /** The build that the next opened page will have. */
  readonly version: string;
};

const TAG = 'diktera-queue:';

/**
 * The background sync tag under which a page has its queue sent once it is closed; ends in a
 * language.
 */
export function syncTag(language: string): string {
  return `${TAG}${language}`;
}

/** The language of who asked; null for any other name. */
export function languageOfSync(tag: string): string | null {
  return tag.startsWith(TAG) ? tag.slice(TAG.length) : null;
}
