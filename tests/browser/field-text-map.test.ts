import { describe, expect, test } from 'vitest';
import { readTextMap } from '../../src/field/text-map.ts';
import { mount } from '../helpers/editable-elements.ts';

const rich = (html: string) => mount(`<div contenteditable>${html}</div>`);
/** Chromium keeps white space in plain text by itself, Firefox where the page says so. */
const plain = (html: string) =>
  mount(`<div contenteditable="plaintext-only" style="white-space: pre-wrap">${html}</div>`);

describe('the text of rich lines', () => {
  test.each([
    ['', ''],
    ['abc', 'abc'],
    ['<br>', ''],
    ['a<br>', 'a'],
    ['a<br><br>', 'a\n'],
    ['a<br>b', 'a\nb'],
    ['<b>a<br></b>b', 'a\nb'],
    ['a<div>b</div><div><br></div><div>c</div>', 'a\nb\n\nc'],
    ['<p>a</p>\n  <p>b</p>\n', 'a\nb'],
    ['<ul><li>a</li><li><p>b</p></li></ul>c', 'a\nb\nc'],
    ['<div>a<br></div><div>b</div>', 'a\nb'],
    ['a&nbsp; b\nc', 'a  b c'],
    ['<pre>a\nb\n</pre>c', 'a\nb\nc'],
    ['a<img alt="" src="data:,">b', 'a\uFFFCb'],
    ['a<img>b', 'ab'],
    ['a<span contenteditable="false">x <b>y</b></span>b', 'a\uFFFCb'],
    ['a<!-- no --><style>b {}</style>c', 'ac'],
  ])('%j is %j', (html, text) => {
    expect(readTextMap(rich(html)).text).toBe(text);
  });

  test('what is written on a chip is in the whole text', () => {
    const map = readTextMap(rich('a<img>b<span contenteditable="false">x <b>y</b></span>c'));
    expect(map.wholeText()).toBe('abx yc');
  });
});

test.each([
  ['a\nb', 'a\nb'],
  ['a\n', 'a'],
  ['a\n\n', 'a\n'],
  ['\n', ''],
  ['a&nbsp;b', 'a\u00A0b'],
])('a newline in plain text %j is a line, the last one only holds it open', (html, text) => {
  expect(readTextMap(plain(html)).text).toBe(text);
});

test('text nodes that meet at a newline', () => {
  const element = plain('');
  element.append('a\n', 'b\n', '\n');
  const map = readTextMap(element);
  expect(map.text).toBe('a\nb\n');
  expect(map.offsetOf({ node: element.childNodes[0]!, offset: 2 })).toBe(2);
  expect(map.pointAt(2)).toEqual({ node: element.childNodes[1], offset: 0 });
  expect(map.pointAt(4)).toEqual({ node: element.childNodes[2], offset: 0 });
});

test.each([
  'abc',
  'a<br><br>b<br>',
  '<p>a<b>bc</b></p><p><br></p><ul><li>d<img>e</li></ul>f',
  'x<span contenteditable="false">chip</span>',
  '<img><img>',
])('every offset of %j leads to a point and back', (html) => {
  const map = readTextMap(rich(html));
  for (let offset = 0; offset <= map.text.length; offset += 1) {
    expect(map.offsetOf(map.pointAt(offset)), `offset ${offset}`).toBe(offset);
  }
});

test('points beside elements, in empty ones, in chips and outside', () => {
  const element = rich('<p>ab</p><p><i></i></p><p>cd <span contenteditable="false">x</span></p>');
  const [first, second, third] = element.children;
  const map = readTextMap(element);
  expect(map.offsetOf({ node: element, offset: 0 })).toBe(0);
  expect(map.offsetOf({ node: first!, offset: 1 })).toBe(2);
  expect(map.offsetOf({ node: second!.firstChild!, offset: 0 })).toBe(2);
  expect(map.offsetOf({ node: third!, offset: 0 })).toBe(3);
  expect(map.offsetOf({ node: third!.lastChild!.firstChild!, offset: 1 })).toBe(6);
  expect(map.offsetOf({ node: element, offset: 3 })).toBe(7);
  expect(map.offsetOf({ node: document.body, offset: 0 })).toBeNull();
  expect(map.pointAt(99)).toEqual(map.pointAt(7));
  expect(map.pointAt(-1)).toEqual(map.pointAt(0));
});
