import { DikteraError } from '../core/errors.ts';
import { checkSessionOptions } from '../core/options/check-options.ts';
import { completeOptions, DEFAULT_SESSION_OPTIONS } from '../core/options/dictation-options.ts';
import { type DictationChoices, INTERFACE_LANGUAGES, recordingOptionsOf } from './options.ts';

/** Complaints already made: a component that is drawn again repeats none. */
const told = new Set<string>();

/** Writes to the console, once, each option that is none and each value that cannot be. */
export function complain(where: string, given: object, names: readonly string[]): void {
  const strange = Object.keys(given).filter((name) => !names.includes(name));
  const known = Object.entries(given).filter(([name]) => names.includes(name));
  const messages = [
    ...strange.map((name) => `'${name}' is no option here${hintFor(name, names)}`),
    ...wrongValues(Object.fromEntries(known)),
  ];
  for (const message of messages) {
    if (told.has(where + message)) continue;
    told.add(where + message);
    console.error(`${where}:`, new DikteraError('bad-option', message));
  }
}

function hintFor(name: string, names: readonly string[]): string {
  const near = names.find((each) => isNear(each.toLowerCase(), name.toLowerCase()));
  return near ? `: is it '${near}'?` : `; there are ${names.join(', ')}`;
}

/** True if one is the other but for a letter or two, or a part of it. */
function isNear(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const isPart = one.includes(other) || other.includes(one);
  return isPart || Math.max(one.length, other.length) - start - end <= 2;
}

const CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  spacing: (value) => value === 'smart' || value === 'spec',
  interfaceLanguage: (value) => String(value) in INTERFACE_LANGUAGES,
  strings: (value) => Object.keys(value ?? {}).every((language) => language in INTERFACE_LANGUAGES),
  // "Ctrl+M" is none: a key by itself.
  pushToTalkKey: (value) => value === null || /^(?:.|[A-Z]\w+)$/u.test(String(value)),
  dictation: (value) => typeof value === 'object' && value !== null && 'getSnapshot' in value,
};

function wrongValues(given: DictationChoices): string[] {
  const wrong = Object.entries(given)
    .filter(([name, value]) => value !== undefined && CHECKS[name]?.(value) === false)
    .map(([name, value]) => `${name} cannot be ${JSON.stringify(value)}`);
  const note = (message: string): void => void wrong.push(message);
  const complete = completeOptions(recordingOptionsOf(given), DEFAULT_SESSION_OPTIONS);
  checkSessionOptions(complete, { error: note, warn: note, info: note });
  return wrong;
}
