import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { importedPackages, modelPackages } from './library/package-parts.ts';
import { type Sbom, shippedComponents } from './packages.ts';

// npx tsx tools/sbom.ts [FILE]: what the server and the pages are made of, as CycloneDX JSON, from
// package-lock.json and the imports. Packages of other systems are in it, those that only build or
// test are not.
const [file = 'dist/diktera.cdx.json'] = process.argv.slice(2);

const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
const text = execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const sbom = shippedComponents(JSON.parse(text) as Sbom, {
  whole: new Set(['diktera-server', ...importedPackages()]),
  // The server's English model is of the first.
  files: new Set(['@moonshine-ai/moonshine-js', ...modelPackages()]),
});
if (sbom.bomFormat !== 'CycloneDX' || sbom.components.length === 0) {
  throw new Error('npm wrote no list of components');
}
mkdirSync('dist', { recursive: true });
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${file}: CycloneDX ${sbom.specVersion}, ${sbom.components.length} packages`);
const unlicensed = sbom.components.filter(({ licenses = [] }) => licenses.length === 0);
if (unlicensed.length > 0) {
  console.log(
    `without a licence in the lock file: ${unlicensed.map(({ name }) => name).join(', ')}`,
  );
}
