import { seededRandom } from '../helpers/seeded-random.ts';
import type { Disk } from './browser/database.ts';
import type { ServerFault } from './browser/server.ts';
import type { Insertion } from './insertion.ts';
import type { StoryEvent } from './story.ts';
import { storedChunks, type Truth } from './truth.ts';
import { framesWithin, type Word, wordOf } from './words.ts';

/** The share of stories with spoken commands to strike and undo. */
const COMMAND_STORIES = 0.15;

type Command = 'Stryk det.' | 'Ångra.' | 'Ny rad.';

/** The command that the server hears in a piece, in every request alike; null: its words. */
export function commandIn([first]: readonly Word[]): Command | null {
  if (first === undefined) return null;
  const [session = 0, frame = 0] = first.split('.').map(Number);
  const chance = seededRandom(session * 4_096 + frame)();
  if (chance < 0.25) return 'Stryk det.';
  if (chance < 0.4) return 'Ångra.';
  return chance < 0.45 ? 'Ny rad.' : null;
}

/** The words of a dictation's pieces, in the order of speech, as they were cut in the end. */
export function piecesOf(disk: Disk, dictationId: string, { words }: Truth): readonly Word[][] {
  const session = Number(dictationId.slice(1));
  return storedChunks(disk, dictationId)
    .toSorted((one, other) => one.number - other.number)
    .map(({ ranges = [] }) =>
      ranges
        .flatMap(({ startSample, endSample }) => framesWithin(startSample, endSample))
        .map((frame) => wordOf(session, frame))
        .filter((word) => words.has(word)),
    );
}

/** The words that stand when all was said and done; `pieces` are in the order of speech. */
export function standingWords(pieces: readonly (readonly Word[])[]): ReadonlySet<Word> {
  const history: (readonly (readonly Word[])[])[] = [[]];
  for (const words of pieces) {
    const now = history.at(-1) ?? [];
    const command = commandIn(words);
    if (command === 'Ångra.') {
      if (history.length > 1) history.pop();
    } else if (command === 'Stryk det.') {
      if (now.length > 0) history.push(now.slice(0, -1));
    } else if (words.length > 0) history.push([...now, command === null ? words : []]);
  }
  return new Set(history.at(-1)?.flat());
}

const SERVER_FAULTS: readonly ServerFault[] = [
  'down',
  'down',
  'swallows',
  'breaks',
  'busy',
  'late',
];
const PIECES: readonly Insertion[] = ['in', 'in', 'in', 'in-late', 'refused'];

/** A story of pieces with commands, and of a server that comes and goes; null if it is another. */
export function commandStory(seed: number): readonly StoryEvent[] | null {
  const random = seededRandom(seed ^ 0x57c1);
  if (random() >= COMMAND_STORIES) return null;
  const upTo = (most: number): number => random() * most;
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(upTo(values.length))] as Value;
  const events: StoryEvent[] = [{ kind: 'open', tab: 0, atMs: 0 }];
  let atMs = 300;
  for (let left = 1 + Math.floor(upTo(2)); left > 0; left -= 1) {
    const insert = random() < 0.7 ? 'at-pause' : 'at-stop';
    const pieces = Array.from({ length: 1 + Math.floor(upTo(6)) }, () => pick(PIECES));
    const live = { insert, livePreview: random() < 0.5, pieces, hasCommands: true } as const;
    const insertion = random() < 0.7 ? 'in' : pick(PIECES);
    events.push({ kind: 'start', tab: 0, speech: Math.floor(upTo(1e9)), insertion, live, atMs });
    atMs += 8_000 + upTo(20_000);
    events.push({ kind: 'stop', tab: 0, atMs });
    atMs += 500 + upTo(6_000);
  }
  for (let left = Math.floor(upTo(3)); left > 0; left -= 1) {
    const fault = pick(SERVER_FAULTS);
    events.push({ kind: 'server', fault, forMs: 2_000 + upTo(40_000), atMs: upTo(atMs) });
  }
  for (let left = Math.floor(upTo(4)); left > 0; left -= 1) {
    const kind = pick(['online', 'retry-all'] as const);
    events.push({ kind, tab: 0, atMs: upTo(atMs + 10_000) });
  }
  if (random() < 0.3) {
    const goneMs = upTo(atMs + 10_000);
    events.push({ kind: 'close', tab: 0, atMs: goneMs });
    events.push({ kind: 'open', tab: 0, atMs: goneMs + 500 });
  }
  return events.sort((one, other) => one.atMs - other.atMs);
}
