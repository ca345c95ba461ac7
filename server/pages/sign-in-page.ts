import { policyHash } from './page-policy.ts';

/** What the page is to say. */
export type SignInView = {
  /** The way from the page's own address to where the pages are, such as `./` or `../`. */
  readonly root: string;
  /** Where the person wanted to go: a path of this server. */
  readonly next: string;
  /** Whether a token was sent that is none. */
  readonly isWrong: boolean;
};

/** The colours are those of the pages (`src/widget/styles/tokens.css`). */
const STYLE = `
:root { color-scheme: light dark; --paper: light-dark(#fbfaf7, #16181a); --sheet: light-dark(#fff, #1e2124);
  --ink: light-dark(#1c2024, #eceae4); --soft: light-dark(#5a626a, #a8adb2); --line: light-dark(#8a8f94, #7d858c);
  --edge: light-dark(#dedbd3, #34393e); --accent: light-dark(#0b6b5d, #6fd3c0);
  --accent-ink: light-dark(#fff, #0b1f1b); --wrong: light-dark(#b3261e, #f2938c); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: min(100%, 26rem); padding: 24px; background: var(--sheet); border: 1px solid var(--edge);
  border-radius: 16px; box-shadow: 0 1px 2px rgb(0 0 0 / 6%), 0 8px 24px rgb(0 0 0 / 10%); }
h1 { margin: 0 0 8px; font-size: clamp(1.625rem, 7.5vw, 2rem); line-height: 1.2; }
p { margin: 0 0 16px; color: var(--soft); }
label { display: block; margin-bottom: 4px; font-weight: 600; }
input { width: 100%; min-height: 44px; padding: 8px 12px; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--line); border-radius: 10px; }
input[aria-invalid] { border-color: var(--wrong); }
.wrong { margin: 8px 0 0; color: var(--wrong); }
button { width: 100%; min-height: 44px; margin-top: 16px; padding: 8px 16px; font: inherit; font-weight: 600;
  color: var(--accent-ink); background: var(--accent); border: 0; border-radius: 10px; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (forced-colors: active) { button { border: 1px solid; } }
`;

/** Nothing but its own style and its own form, and in nobody's frame. */
export const SIGN_IN_POLICY = [
  "default-src 'none'",
  `style-src ${policyHash(STYLE)}`,
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page on which a person says the token; works without scripts. */
export function signInPage({ root, next, isWrong }: SignInView): string {
  const state = isWrong ? ' aria-invalid="true" aria-describedby="wrong"' : '';
  const wrong =
    '<p class="wrong" id="wrong" role="alert">Nyckeln stämmer inte. Kontrollera den och försök igen.</p>';
  return `<!doctype html>
<html lang="sv">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="same-origin">
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
<title>${isWrong ? 'Fel: ' : ''}Logga in – Diktera</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Logga in</h1>
<p>Diktera kräver en åtkomstnyckel här. Du har fått den av den som sköter tjänsten. Den gäller tills du stänger webbläsaren.</p>
<form method="post" action="${root}sign-in">
<input type="hidden" name="next" value="${escaped(next)}">
<label for="token">Åtkomstnyckel</label>
<input id="token" name="token" type="password" required autofocus autocomplete="current-password" autocapitalize="none" spellcheck="false"${state}>
${isWrong ? wrong : ''}
<button type="submit">Logga in</button>
</form>
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
