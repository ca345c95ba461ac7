import { describe, expect, test } from 'vitest';
import { followPlacedText } from '../../src/field/page-turn.ts';

const place = (before: string, text: string, after = '', replaced = '') =>
  followPlacedText({ before, text, after, replaced });

describe('what became of a text that was put in', () => {
  test.each([
    ['nothing changed', 'a', ' b', ' c', 'a b c', 'stands'],
    ['cut', 'a', ' b c', '', 'a b', 'altered'],
    ['the first letter only', 'a', ' bc', '', 'a b', 'altered'],
    ['one sign', 'a', ' 1,5', '', 'a 15', 'altered'],
    ['all of it', 'a', ' b', ' c', 'a c', 'gone'],
    ['all there was', 'a', ' b', ' c', '', 'altered'],
    ['elsewhere only', 'a', ' b', ' c', 'x b y', 'stands'],
    ['moved', 'a', ' b', ' c', 'b a c', 'stands'],
    ['white space', 'a', ' b\nc', '', 'a\u00a0b c', 'stands'],
    ['white space between two words', 'a', ' b\nc', '', 'a bc', 'altered'],
    ['letters made of parts', '', ' a\u030a', '', 'å', 'stands'],
    ['one of two alike', ' b', ' b', '', ' b', 'gone'],
    ['one of two alike, and more', 'x b', ' b', ' y', 'z b y', 'altered'],
  ])('%s', (_what, before, text, after, now, fate) => {
    const placed = place(before, text, after);
    placed.pageChanged(now);
    expect(placed.fate()).toBe(fate);
  });

  test('in place of a selection that the page brings back', () => {
    const placed = place('a ', ' b', ' c', 'x');
    placed.pageChanged('a x c');
    expect(placed.fate()).toBe('gone');
  });

  test('out for a moment, and back', () => {
    const placed = place('b', ' b');
    placed.pageChanged('b');
    placed.pageChanged('b b');
    expect(placed.fate()).toBe('stands');
    placed.pageChanged('b');
    expect(placed.fate()).toBe('gone');
  });

  test('the user may do with it what they like; the page may not', () => {
    const placed = place('a', ' bcd', ' e');
    placed.userChanged('a bxcd e');
    placed.pageChanged('> a bxcd e');
    placed.userChanged('> a bxcd! e');
    expect(placed.fate()).toBe('stands');
    placed.pageChanged('> a bxc! e');
    expect(placed.fate()).toBe('altered');
  });

  test('deleted by the user, nothing can be missing', () => {
    const placed = place('a', ' b');
    placed.userChanged('');
    placed.pageChanged('x');
    expect(placed.fate()).toBe('stands');
  });

  test('emptied after a press of Enter it has been read; cut it has not', () => {
    const sent = place('a', ' b');
    sent.userActed();
    sent.pageChanged('');
    expect(sent.fate()).toBe('stands');
    const cut = place('a', ' b');
    cut.userActed();
    cut.pageChanged('a');
    expect(cut.fate()).toBe('gone');
  });
});
