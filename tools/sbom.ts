import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

// npm run sbom [-- FILE]: what the server and the pages are made of, as CycloneDX JSON, from
// package-lock.json alone. Packages of other systems are in it, those that only build or test are
// not.
const [file = 'dist/diktera.cdx.json'] = process.argv.slice(2);

/** As far as it is looked at here. */
type Sbom = {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly components: readonly { readonly name: string; readonly licenses?: readonly unknown[] }[];
};

const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'];
const text = execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const sbom = JSON.parse(text) as Sbom;
if (sbom.bomFormat !== 'CycloneDX' || sbom.components.length === 0) {
  throw new Error('npm wrote no list of components');
}
mkdirSync('dist', { recursive: true });
writeFileSync(file, text);
console.log(`${file}: CycloneDX ${sbom.specVersion}, ${sbom.components.length} packages`);
const unlicensed = sbom.components.filter(({ licenses = [] }) => licenses.length === 0);
if (unlicensed.length > 0) {
  console.log(
    `without a licence in the lock file: ${unlicensed.map(({ name }) => name).join(', ')}`,
  );
}
