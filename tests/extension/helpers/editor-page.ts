import { Jodit } from 'jodit';
import { EDITORS, type MountedEditor } from '../../helpers/real-editors.ts';

/*
 * The script of a page with one editor, whose name is in the page's address. It knows nothing of the
 * extension: `editor` is there for the test.
 */

const ALL: typeof EDITORS = {
  ...EDITORS,
  /** Its editable element is the body of a frame, as in TinyMCE. */
  async 'Jodit in a frame'(host) {
    const editor = Jodit.make(host.appendChild(document.createElement('textarea')), {
      iframe: true,
    });
    await editor.waitForReady();
    const element = editor.editor;
    return { element, text: () => element.innerText.replaceAll('\u00A0', ' ').trimEnd() };
  },
};

declare global {
  var editor: MountedEditor;
}

const host = document.getElementById('host');
const mount = ALL[decodeURIComponent(location.hash.slice(1))];
if (host && mount) globalThis.editor = await mount(host);
