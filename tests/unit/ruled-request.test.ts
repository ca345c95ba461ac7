import { expect, test } from 'vitest';
import { joinTranscripts } from '../../src/core/queue/queue-item.ts';
import type { GivenTextRules } from '../../src/core/text/text-rules.ts';
import { createWorkerRules, withTextRules } from '../../workers/upload/ruled-request.ts';
import type { RequestOutcome } from '../../workers/upload/transcribe-request.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

const { signal } = new AbortController();
const ports = () => ({ clock: createFakeClock(), log: createRecordingLog() });

/** The outcome of a chunk for which the server heard this, in Swedish. */
async function outcomeOf(heard: string, given: GivenTextRules = {}): Promise<RequestOutcome> {
  const answer = async () => ({ kind: 'answered', text: heard, needsReview: null }) as const;
  const request = withTextRules(answer, createWorkerRules(given, ports()));
  const { options, ...item } = makeQueueItem();
  return request({ ...item, options: { ...options, language: 'sv' } }, signal);
}

test.each([
  ['a filler goes', 'Eh, vi ses.', {}, 'Vi ses.'],
  ['nothing but fillers is nothing', 'Eh. Öh.', {}, ''],
  ['a line break is something', 'Ny rad.', {}, '\n'],
  ['a name is written as it is', 'Ring Sjökvist.', { vocabulary: ['Sjöqvist'] }, 'Ring Sjöqvist.'],
  ['numbers are an option', 'Tjugofem procent.', { rules: { numbers: true } }, '25 procent.'],
  ['marks are an option', 'Hej punkt', { rules: { marks: true } }, 'Hej.'],
] as const)('%s, and what was heard stays beside it', async (_what, heard, given, text) => {
  expect(await outcomeOf(heard, given)).toEqual({
    kind: 'answered',
    text,
    heard,
    needsReview: null,
  });
});

test('what a snippet writes is told beside it, to the letter', async () => {
  const replacements = [{ say: 'mvh', write: 'Med vänlig hälsning\n{markör}Eva' }];
  expect(await outcomeOf('Hej. Mvh.', { replacements })).toEqual({
    kind: 'answered',
    text: 'Hej. Med vänlig hälsning\nEva.',
    heard: 'Hej. Mvh.',
    snippets: [{ text: 'Med vänlig hälsning\nEva', cursor: 20 }],
    needsReview: null,
  });
});

test.each([
  ['with every rule off', ' Eh,  eh ny rad ', { rules: false }],
  ['with every rule off and line breaks round it', '\nEh.\nHej. \n', { rules: false }],
  ['with nothing to do', 'Vi ses i morgon.', {}],
] as const)('%s a text comes out byte for byte', async (_what, heard, given) => {
  expect(await outcomeOf(heard, given)).toEqual({
    kind: 'answered',
    text: heard,
    needsReview: null,
  });
});

test("the line breaks that an engine puts round its text are nobody's", async () => {
  expect(await outcomeOf('\n Hej.\nVi ses. \n')).toMatchObject({ text: 'Hej.\nVi ses.' });
});

test.each([{}, { rules: false }] as const)('white space alone is nothing: %o', async (given) => {
  expect(await outcomeOf(' \n', given)).toMatchObject({ text: '' });
});

test('what has no text is told as it is', async () => {
  const failed = { kind: 'rejected', status: 413, error: { code: 'http-status', message: '' } };
  const request = withTextRules(
    async () => failed as RequestOutcome,
    createWorkerRules({}, ports()),
  );
  expect(await request(makeQueueItem(), signal)).toBe(failed);
});

test('pieces keep line breaks that were said, and nothing else parts what stands beside them', () => {
  const pieces = ['\nHej.', 'Rad två.\n\n', ' Rad tre.', '\n', ' \n\t', 'Rad fyra. '];
  expect(joinTranscripts(new Map(pieces.entries()), 'running')).toBe(
    '\nHej. Rad två.\n\nRad tre.\nRad fyra.',
  );
});

test('rules that fail leave the text as it was heard', async () => {
  const broken = { say: undefined, write: 'y' } as unknown as { say: string; write: string };
  const rules = createWorkerRules({ replacements: [broken] }, ports());
  expect(await rules.apply('Eh, hej.', 'sv')).toEqual({ text: 'Eh, hej.' });
});
