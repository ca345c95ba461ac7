import { buildAnew, buildIfNeeded } from './build-all.ts';

// Usage: tsx tools/build.ts [--if-needed]. The second leaves a build that is up to date.
await (process.argv.includes('--if-needed') ? buildIfNeeded() : buildAnew());
