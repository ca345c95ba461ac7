import { attachDictation } from '../../../src/attach-dictation.tsx';
import { createDictation } from '../../../src/index.ts';

const textArea = document.querySelector('textarea');
const asked = new URLSearchParams(location.search);
/** Where the sound goes; without it to the page's own server. */
const transcriptionUrl = asked.get('to');
/** The token that the page has; it gets another one when somebody signs in. */
let token = asked.get('token');
Object.assign(window, {
  signIn(next: string) {
    token = next;
    dictation?.setOptions({ headers: { authorization: `Bearer ${next}` } });
  },
});
const headers = async () => ({ authorization: `Bearer ${token}` });
const dictation = transcriptionUrl
  ? createDictation({ transcriptionUrl, ...(token && { headers }) })
  : null;
if (textArea) attachDictation(textArea, dictation ? { dictation } : {});
