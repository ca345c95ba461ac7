/** "i dag 14:05", "i går 09:12", "12 jan. 14:05"; the year too when it was another. */
export function whenText(locale: string, time: Date, now: Date): string {
  const clock = time.toLocaleTimeString(locale, { timeStyle: 'short' });
  const days = dayOf(time) - dayOf(now);
  if (days === 0 || days === -1) {
    const day = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day');
    return `${day} ${clock}`;
  }
  const isThisYear = time.getFullYear() === now.getFullYear();
  const date = time.toLocaleDateString(locale, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
  return `${date} ${clock}`;
}

/** Number of the day in local time; a day may have 23 hours. */
function dayOf(time: Date): number {
  return Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) / 86_400_000;
}

/** "12,3 MB"; of anything at all 0,1 MB at least. */
export function sizeText(locale: string, bytes: number): string {
  const megabytes = Math.max(bytes / 1_000_000, bytes > 0 ? 0.1 : 0);
  const digits = megabytes < 10 ? 1 : 0;
  return `${megabytes.toLocaleString(locale, { maximumFractionDigits: digits })} MB`;
}

/** "svenska" for `sv`; the code itself where there is no name. */
export function languageName(locale: string, code: string): string {
  const name = new Intl.DisplayNames(locale, { type: 'language' }).of(code) ?? code;
  // WebKit begins it as a sentence.
  return locale === 'sv' ? name.toLowerCase() : name;
}

/** "3 min 20 s", "1 h 5 min": the same in every language. */
export function durationText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours > 0)
    return [`${hours} h`, minutes % 60 > 0 && `${minutes % 60} min`].filter(Boolean).join(' ');
  if (minutes === 0) return `${seconds} s`;
  return [`${minutes} min`, seconds % 60 > 0 && `${seconds % 60} s`].filter(Boolean).join(' ');
}
