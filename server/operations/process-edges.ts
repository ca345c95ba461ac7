import { closeSync, openSync } from 'node:fs';
import SonicBoom from 'sonic-boom';

/** Where a log's lines go. */
export type LogStream = { write(line: string): void };

/**
 * Goes on when whoever reads the log or the output has gone (`| tee` that was ended, a closed
 * terminal): an error of these streams that nobody hears ends a process.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/**
 * The log: standard error, or the file at `path`. `SIGHUP` opens that anew, as whoever has moved it
 * away expects; without a file it changes nothing, unless a terminal has closed, which is `onHangUp`.
 * Throws where the file cannot be opened.
 */
export function openLog(path: string | null, onHangUp: () => void): LogStream {
  // Looked at now: a terminal that has closed is none any more.
  const isInteractive = process.stdin.isTTY === true;
  const file = path === null ? null : openFile(path);
  process.on('SIGHUP', () => {
    if (file !== null) file.reopen();
    else if (isInteractive) onHangUp();
  });
  return file ?? process.stderr;
}

/** At once, and in order with what follows: the last line before an end is the one that counts. */
function openFile(path: string): SonicBoom {
  // What cannot be opened is to be said now.
  closeSync(openSync(path, 'a'));
  const file = new SonicBoom({ dest: path, sync: true, append: true });
  let isSaid = false;
  file.on('ready', () => {
    isSaid = false;
  });
  file.on('error', (error: Error) => {
    // A full disk loses lines of the log and nothing else.
    if (!isSaid) process.stderr.write(`the log cannot be written: ${error.message}\n`);
    isSaid = true;
  });
  return file;
}
