import { registerRoute } from 'workbox-routing';
import { newId } from '../../src/platform/ids.ts';
import { keepFile, SHARE_PATH, SHARED } from '../../src/platform/opened-files.ts';

/** The fields of the form that the manifest names. */
const FILES_FIELD = 'files';

/**
 * Takes files of sound and film that another program shares with the installed page: they lie in the
 * browser until they are text, and the page is opened. Without a network as well.
 */
export function takeShared(scope: ServiceWorkerGlobalScope): void {
  const page = new URL(SHARED, scope.registration.scope).href;
  const address = new URL(SHARE_PATH, scope.registration.scope).href;

  async function take({ request }: { readonly request: Request }): Promise<Response> {
    const form = await request.formData().catch(() => null);
    for (const file of form?.getAll(FILES_FIELD) ?? []) {
      // It belongs to nobody before somebody opens the page.
      if (file instanceof File && file.size > 0) await keepFile(newId(), file, null);
    }
    // Loaded anew, the page does not send the form again.
    return Response.redirect(page, 303);
  }

  registerRoute(({ url }) => url.href === address, take, 'POST');
}
