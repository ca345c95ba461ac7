/** The most that is read at once of what is only walked through. */
const WINDOW_BYTES = 2 ** 20;

/**
 * True if a file goes on behind what the demuxer reads of it, or a part of it is missing: it was cut
 * off in the middle of a page, box or chunk or before the frames that its head counts, or another
 * recording is behind the first. False where that cannot be known.
 */
export async function isUnread(file: Blob): Promise<boolean> {
  const windows = windowsOf(file);
  const head = await windows(0, 12);
  if (nameAt(head, 0) === 'OggS') return isOggUnread(file, windows);
  if (nameAt(head, 0) === 'RIFF' && nameAt(head, 8) === 'WAVE') return isWaveUnread(file, windows);
  if (MP4_FIRST.has(nameAt(head, 4))) return isMp4Cut(file, windows);
  if (head.byteLength === 12 && head.getUint32(0) === EBML) return isWebmCut(file, windows);
  return isMp3Cut(file, windows);
}

/** Gives so many bytes from a place on, or fewer at the end. */
type Windows = (at: number, bytes: number) => Promise<DataView>;

/** Reads far ahead where the next place is near, and little where a walk jumps over the sound. */
function windowsOf(file: Blob): Windows {
  let from = 0;
  let view = new DataView(new ArrayBuffer(0));
  return async (at, bytes) => {
    const end = from + view.byteLength;
    if (at < from || (at + bytes > end && end < file.size)) {
      const isNear = at <= end + WINDOW_BYTES;
      from = at;
      const length = isNear ? Math.max(bytes, WINDOW_BYTES) : bytes;
      view = new DataView(await file.slice(at, at + length).arrayBuffer());
    }
    const start = Math.min(at - from, view.byteLength);
    return new DataView(view.buffer, start, Math.min(bytes, view.byteLength - start));
  };
}

function nameAt(view: DataView, at: number): string {
  if (at + 4 > view.byteLength) return '';
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4));
}

const PAGE_HEAD_BYTES = 27;
const IS_FIRST = 2;

async function isOggUnread(file: Blob, windows: Windows): Promise<boolean> {
  const numbers = new Map<number, number>();
  let isWithData = false;
  for (let at = 0; at < file.size; ) {
    const page = pageIn(await windows(at, PAGE_HEAD_BYTES + 255));
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

function pageIn(view: DataView) {
  if (view.byteLength < PAGE_HEAD_BYTES || nameAt(view, 0) !== 'OggS') return null;
  const segments = view.getUint8(26);
  if (PAGE_HEAD_BYTES + segments > view.byteLength) return null;
  let bytes = PAGE_HEAD_BYTES + segments;
  for (let index = 0; index < segments; index += 1) bytes += view.getUint8(PAGE_HEAD_BYTES + index);
  return {
    bytes,
    isFirst: (view.getUint8(5) & IS_FIRST) !== 0,
    serial: view.getUint32(14, true),
    number: view.getUint32(18, true),
  };
}

const CHUNK_BYTES = 8;
/** Writers that cannot go back put a size there that nothing has, such as 2^31 and 2^32 less a head. */
const LEAST_PLACEHOLDER = 1_000_000_000;

async function isWaveUnread(file: Blob, windows: Windows): Promise<boolean> {
  const whole = (await windows(0, 12)).getUint32(4, true);
  let isBehindSound = false;
  for (let at = 12; at + CHUNK_BYTES <= file.size; ) {
    const head = await windows(at, CHUNK_BYTES);
    const name = nameAt(head, 0);
    if (!/^[\w ]{4}$/.test(name)) return false;
    if (isBehindSound && (name === 'data' || name === 'RIFF')) return true;
    const bytes = head.getUint32(4, true);
    const isStream = bytes === 0 || bytes >= LEAST_PLACEHOLDER || bytes >= whole;
    if (name === 'data' && isStream) return false;
    isBehindSound ||= name === 'data';
    const end = at + CHUNK_BYTES + bytes;
    // A byte may be missing that makes its length even; some count the head with the sound.
    if (name === 'data' && end > file.size) return end > file.size + CHUNK_BYTES;
    at = end + (bytes % 2);
  }
  return false;
}

/** The boxes that such files, and those of QuickTime, begin with. */
const MP4_FIRST: ReadonlySet<string> = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip']);

const BOX_BYTES = 8;
const LONG_BOX_BYTES = 16;

async function isMp4Cut(file: Blob, windows: Windows): Promise<boolean> {
  for (let at = 0; at < file.size; ) {
    const head = await windows(at, LONG_BOX_BYTES);
    if (head.byteLength < BOX_BYTES) return false;
    const [size, isLong] = [head.getUint32(0), head.getUint32(0) === 1];
    if (isLong && head.byteLength < LONG_BOX_BYTES) return true;
    const bytes = isLong ? Number(head.getBigUint64(BOX_BYTES)) : size;
    // 0 goes to the end; anything else that small is no box.
    if (bytes < BOX_BYTES || !/^[\w ©-]{4}$/.test(nameAt(head, 4))) return false;
    at += bytes;
    if (at > file.size) return true;
  }
  return false;
}

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
/** The longest identifier and the longest size. */
const ELEMENT_HEAD_BYTES = 12;

async function isWebmCut(file: Blob, windows: Windows): Promise<boolean> {
  for (let at = 0; at < file.size; ) {
    const head = await windows(at, ELEMENT_HEAD_BYTES);
    const element = elementIn(head);
    // A head that is cut is at the very end; zeros, and what else is no element, are not missed.
    if (!element) return at + ELEMENT_HEAD_BYTES > file.size && head.getUint8(0) !== 0;
    const start = at + element.headBytes;
    if (element.bytes !== null && start + element.bytes > file.size) return true;
    const isOpened = element.id === SEGMENT || element.id === CLUSTER;
    if (element.bytes === null && !isOpened) return false;
    at = isOpened ? start : start + (element.bytes ?? 0);
  }
  return false;
}

/** `bytes` is null where nobody knew them yet. */
function elementIn(view: DataView) {
  const idBytes = view.byteLength > 0 ? Math.clz32(view.getUint8(0)) - 23 : 9;
  const sizeBytes = view.byteLength > idBytes ? Math.clz32(view.getUint8(idBytes)) - 23 : 9;
  const headBytes = idBytes + sizeBytes;
  if (idBytes > 4 || sizeBytes > 8 || headBytes > view.byteLength) return null;
  let [id, size] = [0, view.getUint8(idBytes) & (0xff >> sizeBytes)];
  for (let at = 0; at < idBytes; at += 1) id = id * 256 + view.getUint8(at);
  let isUnknown = size === 0xff >> sizeBytes;
  for (let at = idBytes + 1; at < headBytes; at += 1) {
    size = size * 256 + view.getUint8(at);
    isUnknown &&= view.getUint8(at) === 0xff;
  }
  return { id, headBytes, bytes: isUnknown ? null : size };
}

const TAG_HEAD_BYTES = 10;
/** Behind the longest header of a frame, where an encoder writes its own words about the file. */
const NOTES_BYTES = 64;
const HAS_FRAMES = 1;
const HAS_BYTES = 2;

async function isMp3Cut(file: Blob, windows: Windows): Promise<boolean> {
  const head = await windows(0, TAG_HEAD_BYTES);
  if (head.byteLength < TAG_HEAD_BYTES) return false;
  let start = 0;
  if (/^ID3/.test(nameAt(head, 0))) {
    for (const at of [6, 7, 8, 9]) start = start * 128 + (head.getUint8(at) & 127);
    start += TAG_HEAD_BYTES;
  }
  const frame = await windows(start, NOTES_BYTES);
  if (frame.byteLength < NOTES_BYTES || frame.getUint16(0) < 0xffe0) return false;
  for (let at = 4; at + 16 <= NOTES_BYTES; at += 1) {
    if (!['Xing', 'Info'].includes(nameAt(frame, at))) continue;
    const flags = frame.getUint32(at + 4);
    if ((flags & HAS_BYTES) === 0) return false;
    const bytes = frame.getUint32(at + 8 + ((flags & HAS_FRAMES) === 0 ? 0 : 4));
    return start + bytes > file.size;
  }
  return false;
}
