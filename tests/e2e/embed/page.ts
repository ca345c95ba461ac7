import { attachDictation } from '../../../src/attach-dictation.tsx';

const textArea = document.querySelector('textarea');
if (textArea) attachDictation(textArea);
