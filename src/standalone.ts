// For pages with another framework than React, or with none: what they need of it is built in.

export * from './attach-dictation.tsx';
export * from './index.ts';
