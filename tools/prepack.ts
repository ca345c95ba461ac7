import { copyFileSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfNeeded } from './build-all.ts';
import { ROOT } from './library/package-parts.ts';

// npm runs this before it packs a package of ours, in that package's folder: its files are built.
process.chdir(ROOT);
await buildIfNeeded();
if (process.env.npm_package_name === 'diktera-server') {
  // A package holds only what lies in its own folder.
  copyFileSync('LICENSE', join('server', 'LICENSE'));
  const target = join('server', 'dist');
  rmSync(target, { recursive: true, force: true });
  for (const folder of ['server', 'web']) {
    cpSync(join('dist', folder), join(target, folder), { recursive: true });
  }
}
