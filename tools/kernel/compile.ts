/**
 * Compiles an entry of kernel/assembly to WebAssembly with SIMD, for `isFused` with relaxed SIMD
 * too. No runtime is linked: the kernel allocates nothing. Throws with the compiler's words.
 */
export async function compileKernel(
  root: string,
  entry: string,
  { isFused }: { readonly isFused: boolean },
): Promise<Uint8Array> {
  // Loaded only when something is compiled: it brings a compiler of its own, of several megabytes.
  const { default: asc } = await import('assemblyscript/asc');
  let code: Uint8Array | null = null;
  const { error, stderr } = await asc.main(
    [
      entry,
      ...['--baseDir', root, '--outFile', 'kernel.wasm', '--runtime', 'stub', '--enable', 'simd'],
      ...(isFused ? ['--enable', 'relaxed-simd'] : []),
      ...['--optimizeLevel', '3', '--noAssert', '--disableWarning', '201'],
    ],
    {
      writeFile(_name: string, contents: string | Uint8Array) {
        if (typeof contents !== 'string') code = contents;
      },
    },
  );
  if (error || !code) {
    throw new Error(`${entry} does not compile:\n${stderr}`, { cause: error });
  }
  return code;
}
