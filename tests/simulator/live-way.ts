import type { InsertTime } from '../../src/core/options/dictation-options.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { INSERTIONS, type Insertion } from './insertion.ts';
import type { StoryEvent } from './story.ts';

/** A dictation in live pieces. */
export type LiveWay = {
  readonly insert: InsertTime;
  readonly livePreview: boolean;
  /** The outcomes of its pieces, one after the other, over and over. */
  readonly pieces: readonly Insertion[];
  /** The server hears commands in it: see `commandIn`. @default false */
  readonly hasCommands?: boolean;
};

/** The share of stories with live dictations, most of them inserted while a person speaks. */
const LIVE_STORIES = 0.4;
const LIVE_SESSIONS = 0.9;
const AT_PAUSE = 0.75;

/** By chances of its own: a story that is not live is the one it was. */
export function madeLive(seed: number, events: readonly StoryEvent[]): readonly StoryEvent[] {
  const random = seededRandom(seed ^ 0x11fe);
  if (random() >= LIVE_STORIES) return events;
  const pick = (): Insertion =>
    random() < 0.6 ? 'in' : (INSERTIONS[Math.floor(random() * INSERTIONS.length)] as Insertion);
  return events.map((event) => {
    if (event.kind !== 'start' || random() >= LIVE_SESSIONS) return event;
    const insert = random() < AT_PAUSE ? 'at-pause' : 'at-stop';
    const pieces = Array.from({ length: 1 + Math.floor(random() * 4) }, pick);
    return { ...event, live: { insert, livePreview: random() < 0.8, pieces } };
  });
}
