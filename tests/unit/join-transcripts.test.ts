import { describe, expect, it } from 'vitest';
import { joinTranscripts, textFlowOf } from '../../src/core/queue/queue-item.ts';

describe('joinTranscripts', () => {
  it('joins in numeric order, not in that of arrival or of the alphabet', () => {
    const texts = new Map([10, 2, 0, 1].map((number) => [number, `t${number}`]));
    expect(joinTranscripts(texts)).toBe('t0\nt1\nt2\nt10');
  });

  it('ignores empty and white ones', () => {
    const texts = new Map([
      [0, ''],
      [1, 'ord'],
      [2, ' \n\t'],
      [3, ' till'],
      [4, '\u200b'],
    ]);
    expect(joinTranscripts(texts)).toBe('ord\ntill');
    expect(joinTranscripts(new Map())).toBe('');
  });

  it('joins live pieces by spaces: they end wherever somebody took a breath', () => {
    const texts = new Map([
      [1, ' till affären '],
      [0, 'Jag går'],
      [2, ''],
      [3, 'nu.'],
    ]);
    expect(joinTranscripts(texts, 'running')).toBe('Jag går till affären nu.');
    expect(textFlowOf([{}, { isLive: true }])).toBe('running');
    expect(textFlowOf([{}])).toBe('lines');
  });

  it('keeps newlines inside a transcript', () => {
    expect(joinTranscripts(new Map([[0, 'rad ett\nrad två']]))).toBe('rad ett\nrad två');
  });
});
