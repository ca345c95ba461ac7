// What the page says of its own accord, and nobody needs to begin: one file, fetched at rest.
export { KeepingNotice } from './KeepingNotice.tsx';
export { ServerLine } from './ServerLine.tsx';
export { SwedishPart } from './SwedishPart.tsx';
