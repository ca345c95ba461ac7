import { parseKeyDef } from '@vitest/browser';

/** One movement of a key, as WebDriver has it. */
export type KeyAction = { readonly type: 'keyDown' | 'keyUp'; readonly value: string };

/** The letters that stand for keys without any (WebDriver, 17.4.2). */
const CODES: Readonly<Record<string, string>> = {
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE006',
  Shift: '\uE008',
  Control: '\uE009',
  Alt: '\uE00A',
  Escape: '\uE00C',
  PageUp: '\uE00E',
  PageDown: '\uE00F',
  End: '\uE010',
  Home: '\uE011',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Insert: '\uE016',
  Delete: '\uE017',
  F8: '\uE038',
  F9: '\uE039',
  Meta: '\uE03D',
};

/** The movements for keys as `userEvent.keyboard` writes them, and which are held after them. */
export function keyActions(
  text: string,
  heldBefore: readonly string[],
): { readonly actions: readonly KeyAction[]; readonly held: readonly string[] } {
  const actions: KeyAction[] = [];
  const held = new Set(heldBefore);
  for (const { key, releasePrevious, releaseSelf, repeat } of keysOf(text)) {
    const value = CODES[key] ?? key;
    if (held.delete(key)) actions.push({ type: 'keyUp', value });
    if (releasePrevious) continue;
    for (let time = 0; time < repeat; time += 1) {
      // WebDriver presses no key that is down.
      if (time > 0) actions.push({ type: 'keyUp', value });
      actions.push({ type: 'keyDown', value });
    }
    if (releaseSelf) actions.push({ type: 'keyUp', value });
    else held.add(key);
  }
  return { actions, held: [...held] };
}

/** The keys by name, a letter of two units of UTF-16 as the one it is. */
function keysOf(text: string) {
  const keys = parseKeyDef(text).map(({ keyDef, ...how }) => ({ key: keyDef.key ?? '', ...how }));
  return keys.flatMap((one, at) => {
    if (isHalf(one.key, 'low')) return [];
    const next = keys[at + 1];
    return isHalf(one.key, 'high') && next ? [{ ...one, key: one.key + next.key }] : [one];
  });
}

function isHalf(key: string, which: 'high' | 'low'): boolean {
  const unit = key.charCodeAt(0);
  const first = which === 'high' ? 0xd800 : 0xdc00;
  return key.length === 1 && unit >= first && unit < first + 0x400;
}
