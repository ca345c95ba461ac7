import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { onTestFinished } from 'vitest';
import '../../src/widget/styles/tokens.css';
import '../../src/widget/styles/base.css';
import '../../src/page/styles/page.css';
import '../../src/widget/styles/controls.css';
import '../../src/widget/styles/field.css';
import '../../src/widget/styles/status.css';
import '../../src/page/styles/dialog.css';
import '../../src/widget/styles/dictations.css';
import { until } from './until.ts';

/** The element drawn into, and a way to draw again. */
export type Rendered = { readonly host: HTMLElement; draw(node: ReactNode): void };

/** Draws into the page, or into `host`, until the test is over. */
export function render(node: ReactNode, host = document.body.appendChild(newHost())): Rendered {
  const root = createRoot(host);
  const draw = (next: ReactNode): void => flushSync(() => root.render(next));
  draw(node);
  onTestFinished(() => {
    root.unmount();
    host.remove();
  });
  return { host, draw };
}

/** The whole page gives the document a language; it has its own again when the test is over. */
export function putLanguageBack(): void {
  const { documentElement } = document;
  const { lang } = documentElement;
  onTestFinished(() => {
    documentElement.lang = lang;
  });
}

/** Swedish is what the texts of most tests are in, whatever the browser speaks. */
export function chooseSwedish(): void {
  localStorage.setItem('diktera:settings', '{"interfaceLanguage":"sv"}');
}

/** Opens the page's options, and gives their dialog. */
export async function openOptions(host: HTMLElement): Promise<HTMLDialogElement> {
  const button = [...host.querySelectorAll('button')].find(
    ({ textContent }) => textContent === 'Alternativ' || textContent === 'Options',
  );
  button?.click();
  return await until(() => host.querySelector<HTMLDialogElement>('dialog.options[open]'));
}

function newHost(): HTMLElement {
  return document.createElement('div');
}
