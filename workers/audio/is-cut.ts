/** The most that is read at once of what is only walked through. */
const WINDOW_BYTES = 2 ** 20;

const PAGE_HEAD_BYTES = 27;
const IS_FIRST = 2;

/**
 * True if an Ogg file goes on behind what the demuxer reads of it, or a part of it is missing: another
 * recording behind the first, bytes that are no page, a page that is gone or cut. False for other files.
 */
export async function isOggUnread(file: Blob): Promise<boolean> {
  if (new TextDecoder().decode(await file.slice(0, 4).arrayBuffer()) !== 'OggS') return false;
  const numbers = new Map<number, number>();
  let isWithData = false;
  let from = 0;
  let view = new DataView(new ArrayBuffer(0));
  for (let at = 0; at < file.size; ) {
    if (at + PAGE_HEAD_BYTES + 255 > from + view.byteLength && from + view.byteLength < file.size) {
      from = at;
      view = new DataView(await file.slice(at, at + WINDOW_BYTES).arrayBuffer());
    }
    const page = pageAt(view, at - from);
    if (!page || at + page.bytes > file.size) return true;
    if (page.isFirst && isWithData) return true;
    isWithData = !page.isFirst;
    // Some writers number nothing at all.
    if (page.number > (numbers.get(page.serial) ?? page.number) + 1) return true;
    numbers.set(page.serial, page.number);
    at += page.bytes;
  }
  return false;
}

function pageAt(view: DataView, at: number) {
  const body = at + PAGE_HEAD_BYTES;
  if (body > view.byteLength || view.getUint32(at) !== 0x4f676753) return null;
  const segments = view.getUint8(at + 26);
  if (body + segments > view.byteLength) return null;
  let bytes = PAGE_HEAD_BYTES + segments;
  for (let index = 0; index < segments; index += 1) bytes += view.getUint8(body + index);
  return {
    bytes,
    isFirst: (view.getUint8(at + 5) & IS_FIRST) !== 0,
    serial: view.getUint32(at + 14, true),
    number: view.getUint32(at + 18, true),
  };
}
