import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeServiceWorker } from '../../../tools/service-worker.ts';

/** The built pages in a folder of their own, where a newer build can take their place. */
export type DeployedWeb = {
  readonly webRoot: string;
  /** A build of that version, without the files of `gone`. */
  deploy(version: string, gone?: RegExp): Promise<void>;
  /** Takes a file away, its compressed forms too; the answer brings it back. */
  takeAway(name: string): () => void;
  remove(): void;
};

export function deployWeb(): DeployedWeb {
  const webRoot = mkdtempSync(join(tmpdir(), 'diktera-web-'));
  cpSync('dist/web', webRoot, { recursive: true });
  return {
    webRoot,
    async deploy(version, gone) {
      const assets = join(webRoot, 'assets');
      const names = gone ? readdirSync(assets).filter((name) => gone.test(name)) : [];
      for (const name of names) rmSync(join(assets, name));
      await makeServiceWorker(webRoot, version);
    },
    takeAway(name) {
      const files = ['', '.br', '.gz']
        .map((ending) => join(webRoot, `${name}${ending}`))
        .filter((file) => existsSync(file));
      for (const file of files) renameSync(file, `${file}-away`);
      return () => {
        for (const file of files) renameSync(`${file}-away`, file);
      };
    },
    remove: () => rmSync(webRoot, { recursive: true }),
  };
}
