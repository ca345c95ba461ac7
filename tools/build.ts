import { buildAnew } from './build-all.ts';

await buildAnew();
