import { registerRoute } from 'workbox-routing';
import { newId } from '../../src/platform/ids.ts';
import { keepFile, SHARE_LOST, SHARE_PATH, SHARED } from '../../src/platform/opened-files.ts';

/** The fields of the form that the manifest names. */
const FILES_FIELD = 'files';

/**
 * Takes files of sound and film that another program shares with the installed page: they lie in the
 * browser until they are text, and the page is opened. Without a network as well.
 */
export function takeShared(scope: ServiceWorkerGlobalScope): void {
  const at = (path: string): string => new URL(path, scope.registration.scope).href;
  const address = at(SHARE_PATH);

  async function take({ request }: { readonly request: Request }): Promise<Response> {
    const form = await request.formData().catch(() => null);
    const given = form?.getAll(FILES_FIELD) ?? [];
    let isTaken = given.length > 0;
    for (const file of given) {
      // The file has no owner before a person opens the page.
      const isSound = file instanceof File && file.size > 0;
      const hold = isSound ? await keepFile(newId(), file, null) : null;
      await hold?.release();
      isTaken &&= hold !== null;
    }
    // Loaded anew, the page does not send the form again.
    return Response.redirect(at(isTaken ? SHARED : SHARE_LOST), 303);
  }

  registerRoute(({ url }) => url.href === address, take, 'POST');
}
