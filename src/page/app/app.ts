/** What the page fetches of the app, in one piece. */
export { AppFacts } from './AppFacts.tsx';
export { forgetServiceWorker } from './registration.ts';
export { startApp } from './start-app.tsx';
