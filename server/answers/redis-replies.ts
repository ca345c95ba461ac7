/** No line of the protocol is longer: a status, an error, a number, the length of what follows. */
const MAX_LINE_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** Lines that may begin a reply: a status, an error, a number, null, the length of a text. */
const LINE = /^(?:[+-][^\r\n]*|:-?\d{1,19}|\$-1|\$(\d{1,10}))\r\n$/;

/**
 * Counts the replies in what a store sends (RESP2), chunk by chunk: the function returned says how
 * many have ended in the one it is given. It throws when a text of more than `maxTextBytes` is
 * announced, a line is endless, or something else comes than texts, numbers, statuses, errors and
 * nulls: no command of ours is answered by a list.
 */
export function createReplyCounter(maxTextBytes: number): (chunk: Uint8Array) => number {
  let line = '';
  let textBytesLeft = 0;
  return (chunk) => {
    let replies = 0;
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    while (rest.length > 0) {
      if (textBytesLeft > 0) {
        const taken = Math.min(textBytesLeft, rest.length);
        rest = rest.subarray(taken);
        textBytesLeft -= taken;
      } else {
        const lineBytes = rest.indexOf(LINE_FEED) + 1 || rest.length;
        line += rest.toString('latin1', 0, lineBytes);
        rest = rest.subarray(lineBytes);
        if (line.length > MAX_LINE_BYTES) throw new Error('a line without an end');
        if (!line.endsWith('\n')) break;
        textBytesLeft = textBytesAfter(line, maxTextBytes);
        line = '';
      }
      if (textBytesLeft === 0) replies++;
    }
    return replies;
  };
}

/** How much of a reply comes after its line: a text with the two bytes of its end, or nothing. */
function textBytesAfter(line: string, maxTextBytes: number): number {
  const read = LINE.exec(line);
  if (read === null) throw new Error('not the protocol');
  const [, textBytes] = read;
  if (textBytes === undefined) return 0;
  if (Number(textBytes) > maxTextBytes) throw new Error('a text that is too long');
  return Number(textBytes) + 2;
}
