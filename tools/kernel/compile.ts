import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A source of kernel/assembly, and where its code will be kept. */
type KernelSource = {
  readonly entry: string;
  /** With relaxed SIMD. */
  readonly isFused: boolean;
  readonly path: string;
};

type KernelCode = { readonly path: string; readonly code: Uint8Array };

/** Its argument: those of the compiler, once for each file that is wanted. */
const PROGRAM = `
  import asc from 'assemblyscript/asc';
  for (const words of JSON.parse(process.argv[1])) {
    const { error, stderr } = await asc.main(words);
    if (error) {
      process.stderr.write(words[0] + ' does not compile:\\n' + stderr);
      process.exit(1);
    }
  }
`;

/**
 * Compiles sources to WebAssembly with SIMD. No runtime is linked: the kernel allocates nothing.
 * Throws with the compiler's words. One process does it for all of them: the compiler is 14 MB of
 * script, which a loader for TypeScript, as `tsx` brings one, takes longer to read than it works.
 */
export async function compileKernels(
  root: string,
  sources: readonly KernelSource[],
): Promise<readonly KernelCode[]> {
  const folder = mkdtempSync(join(tmpdir(), 'diktera-kernel-'));
  const made = sources.map((source, index) => ({ ...source, file: join(folder, `${index}.wasm`) }));
  const commands = made.map(({ entry, isFused, file }) => [
    entry,
    ...['--baseDir', root, '--outFile', file, '--runtime', 'stub', '--enable', 'simd'],
    ...(isFused ? ['--enable', 'relaxed-simd'] : []),
    ...['--optimizeLevel', '3', '--noAssert', '--disableWarning', '201'],
  ]);
  const words = ['--input-type=module', '--eval', PROGRAM, JSON.stringify(commands)];
  try {
    // Without the options of this process, which name such a loader.
    await promisify(execFile)(process.execPath, words, { cwd: root });
    return made.map(({ path, file }) => ({ path, code: readFileSync(file) }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
