import type { Translated } from '../../src/core/translated.ts';

const SWEDISH = {
  title: 'Text klar',
  body: (count: number) =>
    count === 1
      ? 'En diktering är nedskriven och väntar på dig.'
      : `${count} stycken är nedskrivna och väntar på dig.`,
} as const;

const ENGLISH: Translated<typeof SWEDISH> = {
  title: 'Text ready',
  body: (count) =>
    count === 1
      ? 'A dictation is written down and waits for you.'
      : `${count} pieces are written down and wait for you.`,
};

/** What a notification says, in the language of the page. */
export function notificationTexts(language: string): Translated<typeof SWEDISH> {
  return language === 'en' ? ENGLISH : SWEDISH;
}
