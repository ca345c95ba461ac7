/** What the page fetches of the app, in one piece. */
export { DiagnosticsAccount } from './DiagnosticsAccount.tsx';
export { forgetServiceWorker } from './registration.ts';
export { startApp } from './start-app.tsx';
