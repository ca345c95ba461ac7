// In the order in which the page gets them: the files of the components bring some of them by
// themselves, in an order that depends on what was loaded before.

import app from '../../src/page/styles/app.css?inline';
import diagnostics from '../../src/page/styles/diagnostics.css?inline';
import dialog from '../../src/page/styles/dialog.css?inline';
import page from '../../src/page/styles/page.css?inline';
import swedish from '../../src/page/swedish/swedish.css?inline';
import words from '../../src/page/words/words.css?inline';
import base from '../../src/widget/styles/base.css?inline';
import controls from '../../src/widget/styles/controls.css?inline';
import dictations from '../../src/widget/styles/dictations.css?inline';
import field from '../../src/widget/styles/field.css?inline';
import status from '../../src/widget/styles/status.css?inline';
import tokens from '../../src/widget/styles/tokens.css?inline';
import catalogue from './catalogue.css?inline';

export const CATALOGUE_STYLES: string = [
  ...[tokens, base, page, controls, field, status, app],
  ...[dictations, dialog, diagnostics, swedish, words, catalogue],
].join('\n');
