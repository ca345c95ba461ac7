/** Beside the page. */
const ADDRESS = `${import.meta.env.BASE_URL}service-worker.js`;

/** Browsers offer none on pages that are not served over https, and some in private windows. */
function container(): ServiceWorkerContainer | undefined {
  return navigator.serviceWorker;
}

/** Undefined where there can be none: the page works without. */
export async function registerServiceWorker(): Promise<ServiceWorkerRegistration | undefined> {
  try {
    // Asked for past the browser's cache each time, or a broken one could not be taken back.
    await container()?.register(ADDRESS, { updateViaCache: 'none' });
    return await container()?.getRegistration();
  } catch (error) {
    console.info('The page will not open without a network', error);
    return undefined;
  }
}

/** Whether the page opens without a network, from now on. */
export async function isKept(): Promise<boolean> {
  const registration = await container()?.getRegistration();
  return registration?.active != null;
}

/** This page is to come from its server again, as whoever signs out expects. */
export async function forgetServiceWorker(): Promise<void> {
  const registration = await container()?.getRegistration();
  await registration?.unregister();
}
