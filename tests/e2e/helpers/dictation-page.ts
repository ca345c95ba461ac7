import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright';
import { until } from '../../helpers/until.ts';

const ARTIFACTS = 'tests/artifacts';

/** The package's classes have a prefix. */
const BAR = '.recording-bar, .diktera-recording-bar';

/** The actions of a person on the dictation page. Every wait is for a visible state. */
export type DictationPage = {
  readonly field: Locator;
  /** The page's one microphone. */
  readonly dictate: Locator;
  /** The foot of the note while something goes on; none while nothing does. */
  readonly bar: Locator;
  readonly notices: Locator;
  /** Presses the microphone and waits until it listens. */
  startDictating(): Promise<void>;
  /** Waits until so much has been recorded. */
  recordUntil(seconds: number): Promise<void>;
  /** Presses it again and waits until the recording is over and answered. */
  stopDictating(): Promise<void>;
  /** The field's text, as it would be copied. */
  text(): Promise<string>;
  /** Keeps a picture of the page among the test's artifacts. */
  picture(name: string): Promise<void>;
};

/** Waits until so much has been recorded, or more: on a busy machine a second is skipped. */
export async function untilRecorded(place: Page | Frame, seconds: number): Promise<void> {
  const time = place.locator('.recording-time, .diktera-recording-time');
  const isRecorded = async () =>
    Number((await time.getAttribute('datetime'))?.slice(2, -1)) >= seconds;
  await until(isRecorded, { timeout: (seconds + 30) * 1_000 });
}

/**
 * Dictates into the field `Anteckning` of an embedder's page for as long as `speak` takes; the text
 * in it then.
 */
export async function dictateIntoNote(
  page: Page | Frame,
  speak: () => Promise<void>,
): Promise<string> {
  const field = page.getByRole('textbox', { name: 'Anteckning' });
  await field.click();
  await page.getByRole('button', { name: 'Diktera', exact: true }).click();
  await page.locator(BAR).and(page.locator('[data-phase="recording"]')).waitFor();
  await speak();
  await page.locator(BAR).getByRole('button', { name: 'Klar' }).click();
  await page.locator(BAR).waitFor({ state: 'detached', timeout: 60_000 });
  return field.evaluate((each) =>
    'value' in each ? String(each.value) : (each as HTMLElement).innerText,
  );
}

/** Opens the options, and what stands in them about Diktera. */
export async function openAbout(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Alternativ' }).click();
  await page.locator('.options .about > summary').click();
}

/** And what became of all recorded sound. */
export async function openDiagnostics(page: Page): Promise<void> {
  await openAbout(page);
  await page.getByText('Diagnostik').click();
  await page.locator('.diagnostics').waitFor();
}

export function dictationPage(page: Page): DictationPage {
  const field = page.getByRole('textbox');
  const dictate = page.locator('.microphone');
  const bar = page.locator('.note-foot:not([data-phase="idle"], [data-phase="stopped"])');
  return {
    field,
    dictate,
    bar,
    notices: page.locator('.notice'),
    async startDictating() {
      await dictate.click();
      await page.locator('[data-phase="recording"]').waitFor();
    },
    recordUntil: (seconds) => untilRecorded(page, seconds),
    async stopDictating() {
      await dictate.click();
      await bar.waitFor({ state: 'detached', timeout: 60_000 });
    },
    text: () => field.innerText(),
    async picture(name) {
      mkdirSync(ARTIFACTS, { recursive: true });
      await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) });
    },
  };
}
