import { attachDictation } from 'diktera/attach';

attachDictation(document.querySelector('textarea'));
