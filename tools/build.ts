import { buildAnew } from './build-if-needed.ts';

await buildAnew();
