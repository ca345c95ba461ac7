import { readFileSync } from 'node:fs';
import { localCommand, run, say } from './run.ts';

// Usage: npm run release. All that comes before publishing: it is checked, built and packed into
// two tarballs here. Publishing them is left to a person.
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const server = JSON.parse(readFileSync('server/package.json', 'utf8')) as { version: string };

if (server.version !== version) {
  throw new Error(`diktera is ${version}, diktera-server is ${server.version}`);
}
if (!readFileSync('CHANGELOG.md', 'utf8').includes(`\n## ${version}\n`)) {
  throw new Error(`CHANGELOG.md says nothing of ${version}`);
}

await must('git', ['diff', '--quiet', 'HEAD'], 'Something is not committed');
await must(localCommand('tsx'), ['tools/test.ts'], 'A test fails');
await must('npm', ['run', 'test:package'], 'The package does not work in a bundler');
await must('npm', ['pack'], 'The library cannot be packed');
await must('npm', ['pack', '--workspace', 'diktera-server'], 'The server cannot be packed');
say(`Ready. To publish: git tag v${version}, then for each diktera*-${version}.tgz: npm publish`);

async function must(command: string, args: readonly string[], why: string): Promise<void> {
  const code = await run(command, args);
  if (code !== 0) throw new Error(why);
}
