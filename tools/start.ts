import { run } from './browsers.ts';
import { buildIfNeeded } from './build-all.ts';

await buildIfNeeded();
process.exitCode = await run(process.execPath, ['dist/server/main.js', ...process.argv.slice(2)]);
