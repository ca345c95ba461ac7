/** What a page tells the service worker of its site. */
export type AppMessage =
  /** It is to answer for all pages from now on: the person wants it, or nobody is at work. */
  | { readonly kind: 'take-over' }
  /** A page has been opened: files of builds that no page is of any more may go. */
  | { readonly kind: 'page-here' };

/** What the service worker tells every page when it takes over, and a page that says it is here. */
export type AppAnswer = {
  readonly kind: 'build-here';
  /** The build that the next page will be of. */
  readonly version: string;
};

const TAG = 'diktera-queue:';

/** The name under which a page asks for what waits to be sent without it; holds its language. */
export function syncTag(language: string): string {
  return `${TAG}${language}`;
}

/** The language of who asked; null for any other name. */
export function languageOfSync(tag: string): string | null {
  return tag.startsWith(TAG) ? tag.slice(TAG.length) : null;
}
