import { readFileSync } from 'node:fs';
import { localCommand, run, say } from './browsers.ts';
import { audit } from './packages.ts';

// Usage: npm run release. All that comes before publishing: it is checked, built and packed into
// two tarballs here. Publishing them is left to a person, and so is what the registry could not say
// of known holes.
const { version, homepage } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
  readonly homepage: string;
};
const server = JSON.parse(readFileSync('server/package.json', 'utf8')) as { version: string };

if (server.version !== version) {
  throw new Error(`diktera is ${version}, diktera-server is ${server.version}`);
}
if (!readFileSync('CHANGELOG.md', 'utf8').includes(`\n## ${version}\n`)) {
  throw new Error(`CHANGELOG.md says nothing of ${version}`);
}

// npm's page sends readers there, for each link of the README too.
const page = await fetch(homepage).catch(() => null);
if (page && !page.ok) throw new Error(`${homepage} answers ${page.status}: is it the right place?`);

await must('git', ['diff', '--quiet', 'HEAD'], 'Something is not committed');
const known = audit();
if (known.kind === 'vulnerable') throw new Error(`Known holes: ${known.packages.join(', ')}`);
sayOfHoles();
await must(localCommand('tsx'), ['tools/test.ts'], 'A test fails');
await must('npm', ['run', 'test:package'], 'The package does not work in a bundler');
await must('npm', ['pack'], 'The library cannot be packed');
await must('npm', ['pack', '--workspace', 'diktera-server'], 'The server cannot be packed');
sayOfHoles();
say(`Ready. To publish: git tag v${version}, then for each diktera*-${version}.tgz: npm publish`);

/** Says what could not be checked, at the beginning and at the end: between them are minutes of output. */
function sayOfHoles(): void {
  if (!page) say(`NOT CHECKED: ${homepage} did not answer. It must be where the source is`);
  if (known.kind !== 'unanswered') return;
  say(`NOT CHECKED for known holes (${known.why}): run npm audit where the registry answers`);
}

async function must(command: string, args: readonly string[], why: string): Promise<void> {
  const code = await run(command, args);
  if (code !== 0) throw new Error(why);
}
