import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { codeOf } from '../layout/model-folder.ts';

/** The owner of a lock. */
type Owner = {
  readonly pid: number;
  /** When the process began, by the system's count; '' where it does not say. Numbers come again. */
  readonly began: string;
  readonly host: string;
  /** Unique for each time that the lock is taken. */
  readonly id: string;
};

/** Ends the holding of a lock. */
type Unlock = () => Promise<void>;

/** An owner on another machine is known to live only by the signs that it leaves. */
const SIGN_MS = 10_000;
const SILENT_MS = 60_000;

/**
 * Takes the lock at `path`, whose folder must be there. Null when another process that is alive
 * holds it; one whose process has ended is taken over.
 */
export async function takeLock(path: string): Promise<Unlock | null> {
  const mine: Owner = {
    pid: process.pid,
    began: beganOf(process.pid),
    host: hostname(),
    id: randomUUID(),
  };
  if (!(await create(path, mine))) {
    const other = await readOwner(path);
    if (other !== null && (await isAlive(path, other))) return null;
    if (!(await clearAway(path, other)) || !(await create(path, mine))) return null;
  }
  const sign = setInterval(() => {
    const now = new Date();
    void utimes(path, now, now).catch(() => undefined);
  }, SIGN_MS);
  sign.unref();
  return async () => {
    clearInterval(sign);
    if ((await readOwner(path))?.id === mine.id) await rm(path, { force: true });
  };
}

async function create(path: string, owner: Owner): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(owner), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Null for one that cannot be read: its owner ended while it wrote it, or has not written it yet. */
async function readOwner(path: string): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Owner;
  } catch {
    return null;
  }
}

/** True if the lock is gone; two that clear away at once must not take each other's. */
async function clearAway(path: string, seen: Owner | null): Promise<boolean> {
  if (seen === null && !(await isSilent(path))) return false;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
  const isTheSame = (await readOwner(aside))?.id === seen?.id;
  if (isTheSame) await rm(aside, { force: true });
  else await rename(aside, path);
  return isTheSame;
}

async function isAlive(path: string, { pid, began, host }: Owner): Promise<boolean> {
  if (host !== hostname()) return !(await isSilent(path));
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
  return beganOf(pid) === began;
}

async function isSilent(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
  return Date.now() - mtimeMs > SILENT_MS;
}

function beganOf(pid: number): string {
  try {
    // Behind the name, which may hold spaces and brackets: the 20th word of the rest.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
