import { buildIfNeeded } from './build-if-needed.ts';
import { run } from './run.ts';

await buildIfNeeded();
process.exitCode = await run(process.execPath, ['dist/server/main.js', ...process.argv.slice(2)]);
