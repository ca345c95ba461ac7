/** The build this page is of, as the build wrote it down; empty where none did. */
export function pageVersion(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="diktera-version"]')?.content ?? '';
}
