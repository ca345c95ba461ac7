/** Folders of files that are not beside the script; absolute, ending in a slash. */
export type AssetPlace = {
  /** The folder of our own files; null is beside the script. */
  readonly assetBaseUrl: string | null;
  /** The folder of onnxruntime-web's files, its `dist`; null is nowhere. */
  readonly ortBaseUrl: string | null;
};

let place: AssetPlace = { assetBaseUrl: null, ortBaseUrl: null };

/** Sets the one place for the whole page, so that files are fetched once. */
export function setAssetPlace(next: AssetPlace): void {
  place = next;
}

export function assetPlace(): AssetPlace {
  return place;
}

/** An absolute address that ends in a slash, of one that may be relative to the page. */
export function folderAddress(address: string): string {
  const { href } = new URL(address, document.baseURI);
  return href.endsWith('/') ? href : `${href}/`;
}
