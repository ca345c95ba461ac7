const TAG = 'diktera-queue:';

/** The name under which a page asks for what waits to be sent without it; holds its language. */
export function syncTag(language: string): string {
  return `${TAG}${language}`;
}

/** The language of who asked; null for any other name. */
export function languageOfSync(tag: string): string | null {
  return tag.startsWith(TAG) ? tag.slice(TAG.length) : null;
}
