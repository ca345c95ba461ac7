import { attachDictation } from '../../../src/attach-dictation.tsx';
import { createDictation } from '../../../src/index.ts';

const textArea = document.querySelector('textarea');
/** Where the sound goes; without it to the page's own server. */
const transcriptionUrl = new URLSearchParams(location.search).get('to');
const elsewhere = transcriptionUrl ? { dictation: createDictation({ transcriptionUrl }) } : {};
if (textArea) attachDictation(textArea, elsewhere);
