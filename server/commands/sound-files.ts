import { readdir, stat } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { codeOf } from '../models/layout/model-folder.ts';

/** The ends of names that are taken from folders. A file that is named itself may have any. */
const SOUND =
  /\.(wav|wave|mp3|m4a|m4b|mp4|m4v|mov|aac|flac|ogg|oga|opus|webm|mkv|mka|aiff?|amr|caf|wma|wmv|avi|3gp|ts|w64|au)$/i;

/** A part of a path that is looked for: any number of folders, or a name. */
type Part = 'any-depth' | RegExp;

/** The files that were named. */
export type FoundFiles = {
  /** Full paths, each once. */
  readonly files: readonly string[];
  /** The deepest folder that all that was named lies in. */
  readonly base: string;
  /** The names that stand for no file, and the folders that may not be read; for people. */
  readonly problems: readonly string[];
};

/** Finds the files that `named` stand for: files, folders (all sound below them) and patterns. */
export async function findFiles(named: readonly string[]): Promise<FoundFiles> {
  const files = new Set<string>();
  const bases: string[] = [];
  const problems = new Set<string>();
  for (const name of named) {
    const known = problems.size;
    const { base, found } = await findNamed(resolve(name), problems);
    bases.push(base);
    for (const file of found.sort()) files.add(file);
    if (found.length === 0 && problems.size === known) {
      problems.add(`${name}: there is no such file, or no sound in it.`);
    }
  }
  return { files: [...files], base: folderOfAll(bases), problems: [...problems] };
}

async function findNamed(path: string, problems: Set<string>) {
  const is = await stat(path).catch(() => null);
  if (is?.isFile()) return { base: dirname(path), found: [path] };
  if (is?.isDirectory()) {
    return { base: path, found: await findBelow(path, ['any-depth', SOUND], problems) };
  }
  // A pattern that the shell left as it is.
  const names = path.split(sep);
  const first = names.findIndex((name) => /[*?]/.test(name));
  if (first < 0) return { base: dirname(path), found: [] };
  const base = names.slice(0, first).join(sep) || sep;
  const parts = names.slice(first).map(partOf);
  if (parts.at(-1) === 'any-depth') parts.push(SOUND);
  return { base, found: await findBelow(base, parts, problems) };
}

function partOf(name: string): Part {
  if (name === '**') return 'any-depth';
  const source = name.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${source.replaceAll('*', '.*').replaceAll('?', '.')}$`);
}

/** Reads no folder in which nothing can be found; one that cannot be read costs only itself. */
async function findBelow(
  folder: string,
  [part, ...rest]: readonly Part[],
  problems: Set<string>,
): Promise<string[]> {
  if (part === undefined) return [];
  const found = part === 'any-depth' ? await findBelow(folder, rest, problems) : [];
  for (const entry of await entriesOf(folder, problems)) {
    const path = join(folder, entry.name);
    if (part === 'any-depth') {
      if (entry.isDirectory()) found.push(...(await findBelow(path, [part, ...rest], problems)));
    } else if (part.test(entry.name)) {
      if (rest.length === 0 && entry.isFile()) found.push(path);
      if (rest.length > 0 && entry.isDirectory()) {
        found.push(...(await findBelow(path, rest, problems)));
      }
    }
  }
  return found;
}

async function entriesOf(folder: string, problems: Set<string>) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const isGone = ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
    if (!isGone) problems.add(`${relative('.', folder)}: this folder may not be read.`);
    return [];
  }
}

function folderOfAll(folders: readonly string[]): string {
  const [first = [], ...others] = folders.map((folder) => folder.split(sep));
  const differs = first.findIndex((name, at) => others.some((other) => other[at] !== name));
  return (differs < 0 ? first : first.slice(0, differs)).join(sep) || sep;
}

/**
 * The path of each file's text: beside it, or in the folder `output` below the same folders as it
 * lies in below `base`. Files that differ by their extensions alone have these in it.
 */
export function targetsOf({ files, base }: FoundFiles, output: string | null, format: string) {
  const place = (file: string) =>
    output === null ? file : join(resolve(output), relative(base, file));
  const short = (file: string) => place(file).slice(0, -extname(file).length || undefined);
  // Some systems take capitals for small letters.
  const keyOf = (path: string) => path.toLowerCase();
  const counts = new Map<string, number>();
  for (const file of files) {
    for (const path of new Set([short(file), place(file)])) {
      counts.set(keyOf(path), (counts.get(keyOf(path)) ?? 0) + 1);
    }
  }
  const given = new Set(files.map(keyOf));
  return files.map((file) => {
    const target = `${short(file)}.${format}`;
    const isFree = counts.get(keyOf(short(file))) === 1 && !given.has(keyOf(target));
    return { file, target: isFree ? target : `${place(file)}.${format}` };
  });
}
