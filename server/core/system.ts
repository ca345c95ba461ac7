import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Clock } from '../../src/core/clock.ts';

/** The real time. Its timers keep no process alive: what they guard ends with it anyway. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Seen from the sources and from the built server, in the project and in its own package. */
const PLACES = ['../package.json', '../../package.json'];

/** The version of this server; '' when its package.json is not with it. */
export const SERVER_VERSION = readVersion();

function readVersion(): string {
  for (const place of PLACES) {
    try {
      const text = readFileSync(new URL(place, import.meta.url), 'utf8');
      const { name, version } = JSON.parse(text) as Record<string, unknown>;
      if ((name === 'diktera' || name === 'diktera-server') && typeof version === 'string')
        return version;
    } catch {
      // Not here.
    }
  }
  return '';
}

/** The path of a program in the folders of `path` (PATH's form); null where there is none. */
export function findProgram(program: string, path: string): string | null {
  const name = process.platform === 'win32' ? `${program}.exe` : program;
  const places = path.split(delimiter).filter((folder) => folder !== '');
  return places.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

/** True if a file can be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The part of WebAssembly that is used; Node's types have none of it. */
type WebAssemblyPart = {
  readonly Module: {
    new (bytes: Uint8Array): object;
    customSections(module: object, name: string): ArrayBuffer[];
  };
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyPart })
  .WebAssembly;
