/** What makes the page an app: fetched once, when the page is at rest or somebody wants it. */
export const fetchApp = () => import('./app/app.ts');
