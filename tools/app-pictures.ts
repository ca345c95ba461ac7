import { readFileSync } from 'node:fs';
import { type Browser, chromium } from 'playwright';
import { findOrInstallBrowser } from './browsers.ts';

const FOLDER = 'public/app';

/** Systems cut a maskable icon to their own shape: what counts lies in the middle four fifths. */
const SAFE_SHARE = 0.8;

const EXAMPLE = 'Hej! Det här har jag sagt, och inte skrivit. Nästa mening säger jag på tåget.';

/** Draws the app's icons from `public/icon.svg`. */
async function drawIcons(browser: Browser): Promise<void> {
  const svg = readFileSync('public/icon.svg', 'utf8');
  const [, colour = ''] = /<rect[^>]*fill="([^"]+)"/.exec(svg) ?? [];
  const draw = async (name: string, sizePx: number, share: number): Promise<void> => {
    const page = await browser.newPage({ viewport: { width: sizePx, height: sizePx } });
    const sidePx = sizePx * share;
    const ground = share < 1 ? colour : 'transparent';
    await page.setContent(
      `<body style="margin:0;height:100vh;display:grid;place-items:center;background:${ground}">
      <div style="width:${sidePx}px;height:${sidePx}px">${svg}</div></body>`,
    );
    await page.screenshot({ path: `${FOLDER}/${name}-${sizePx}.png`, omitBackground: true });
    await page.close();
  };
  await draw('icon', 192, 1);
  await draw('icon', 512, 1);
  await draw('maskable', 512, SAFE_SHARE);
}

/** Takes the pictures that a browser shows to who may install the app. */
async function takePictures(browser: Browser, address: string): Promise<void> {
  const sizes = { wide: { width: 1_280, height: 800 }, narrow: { width: 390, height: 844 } };
  for (const [name, viewport] of Object.entries(sizes)) {
    const context = await browser.newContext({ viewport, locale: 'sv-SE' });
    const page = await context.newPage();
    await page.goto(address);
    await page.getByRole('textbox').fill(EXAMPLE);
    await page.getByRole('button', { name: 'Okej' }).click();
    await page.getByRole('textbox').focus();
    await page.getByRole('button', { name: 'Diktera', exact: true }).waitFor();
    await page.mouse.move(0, 0);
    // Where the pointer was fades out.
    await page.screenshot({ path: `${FOLDER}/${name}.png`, animations: 'disabled' });
    await context.close();
  }
}

const [address] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: await findOrInstallBrowser() });
await drawIcons(browser);
if (address !== undefined) await takePictures(browser, address);
await browser.close();
