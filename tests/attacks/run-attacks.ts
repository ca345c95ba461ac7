import { decoderMemoryBytes } from '../../server/audio/decoder-pool.ts';
import { DEFAULT_LIMITS } from '../../server/core/limits.ts';
import type { Attack, AttackField, AttackSize } from './attack.ts';
import type { InnocentView } from './innocent.ts';
import { type Outside, takeInHand } from './outside.ts';
import { nameOf, type Outcome, post } from './post.ts';
import { startTarget, type Target } from './target.ts';

/** The result of one attack. */
export type AttackRow = {
  readonly name: string;
  readonly seconds: number;
  /** The number of each kind of answer. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly figures: Readonly<Record<string, number | string>>;
  /**
   * The innocent client's figures: alone just before (in the short form once), and during the
   * attack.
   */
  readonly alone: InnocentView;
  readonly beside: InnocentView;
  /** Of the server and all its processes, in bytes. */
  readonly mostBytes: number;
  readonly mostOfOneDecoder: number;
  /** All that must not happen; empty when the attack was held off. */
  readonly faults: readonly string[];
};

const MIB = 1024 * 1024;

/** The memory limit of a decoding process, with the growth possible between two of its checks. */
const MOST_OF_ONE_DECODER =
  decoderMemoryBytes(DEFAULT_LIMITS.maxUploadBytes, DEFAULT_LIMITS.maxAudioMs) + 64 * MIB;

/**
 * The server with its engine, and decoders: one for each of two cores, one more, one in reserve.
 */
const MOST_OF_ALL = 1_200 * MIB + 4 * MOST_OF_ONE_DECODER;

/** The time for which the innocent client is measured alone. */
const ALONE_MS = 10_000;
const ALONE_SHORT_MS = 500;

/**
 * Makes the attacks, each beside an innocent client: in order, or in the short form all at once but
 * for those of a lane. `onRow` is told of each.
 */
export async function runAttacks(
  attacks: readonly Attack[],
  size: AttackSize,
  onRow: (row: AttackRow) => void,
): Promise<void> {
  const kinds = (['plain', 'elsewhere'] as const).map((on) => async () => {
    const those = attacks.filter((attack) => attack.on === on);
    if (those.length > 0) await runOn(on, those, size, onRow);
  });
  if (size.isShort) await Promise.all(kinds.map((run) => run()));
  else for (const run of kinds) await run();
}

async function runOn(
  on: Attack['on'],
  attacks: readonly Attack[],
  size: AttackSize,
  onRow: (row: AttackRow) => void,
): Promise<void> {
  const { target, outside } = await startTarget(on, size);
  const run = async (attack: Attack, alone: InnocentView) =>
    onRow(await runOne(attack, target, outside, size, alone));
  const ordinary = attacks.filter(({ isEnd }) => isEnd !== true);
  try {
    let alone = await lookAlone(target, size);
    if (size.isShort) {
      const lanes = [...new Set(ordinary.map(({ lane }) => lane))].map(async (lane) => {
        for (const attack of ordinary) if (attack.lane === lane) await run(attack, alone);
      });
      await Promise.all(lanes);
    } else {
      for (const attack of ordinary) {
        await run(attack, alone);
        alone = await lookAlone(target, size);
      }
    }
    await target.innocent.stop();
    for (const attack of attacks) if (attack.isEnd) await run(attack, alone);
  } finally {
    await target.close();
  }
}

async function lookAlone({ innocent }: Target, { isShort }: AttackSize): Promise<InnocentView> {
  // The first ones after an attack may still have to wait for it.
  await innocent.fromNow().seen();
  const watch = innocent.fromNow();
  await new Promise((resolve) => setTimeout(resolve, isShort ? ALONE_SHORT_MS : ALONE_MS));
  const view = await watch.seen();
  if (view.answers === 0) throw new Error(`an innocent alone gets: ${view.failures.join(', ')}`);
  return view;
}

async function runOne(
  attack: Attack,
  target: Target,
  outside: Outside,
  size: AttackSize,
  alone: InnocentView,
): Promise<AttackRow> {
  const outcomes: Record<string, number> = {};
  const figures: Record<string, number | string> = {};
  const faults: string[] = [];
  const startedMs = performance.now();
  const field = createField(target, size, { outcomes, figures, faults });
  const { memory } = field;
  const innocent = field.innocentFromNow();
  const hand = takeInHand(outside);
  let hasEnded = false;
  void target.server.ended.then(() => {
    hasEnded = true;
  });
  try {
    if (attack.on === 'plain') await attack.run(field);
    else await attack.run(field, hand);
  } catch (error) {
    faults.push(`the attack itself failed: ${error instanceof Error ? error.stack : error}`);
  }
  hand.letGo();
  const beside = await innocent.seen();
  if (!attack.isEnd) {
    if (hasEnded) faults.push('the server ended');
    for (const failure of new Set(beside.failures)) faults.push(`the innocent got: ${failure}`);
  }
  if (memory.mostOfOneDecoder() > MOST_OF_ONE_DECODER) {
    faults.push(`a decoding process had ${Math.round(memory.mostOfOneDecoder() / MIB)} MiB`);
  }
  if (memory.mostBytes() > MOST_OF_ALL) {
    faults.push(`all processes together had ${Math.round(memory.mostBytes() / MIB)} MiB`);
  }
  return {
    name: attack.name,
    seconds: (performance.now() - startedMs) / 1000,
    outcomes,
    figures,
    alone,
    beside,
    mostBytes: memory.mostBytes(),
    mostOfOneDecoder: memory.mostOfOneDecoder(),
    faults,
  };
}

type Account = {
  readonly outcomes: Record<string, number>;
  readonly figures: Record<string, number | string>;
  readonly faults: string[];
};

/** The last addresses given out: each attack has 40 of its own of the loopback network. */
let addressesGiven = 256;

function createField(
  target: Target,
  size: AttackSize,
  { outcomes, figures, faults }: Account,
): AttackField {
  const first = addressesGiven;
  addressesGiven += ADDRESSES_EACH;
  const address = (index = 0) => {
    const number = first + (index % ADDRESSES_EACH);
    return `127.1.${Math.floor(number / 200)}.${1 + (number % 200)}`;
  };
  let workDone = 0;
  const count = (what: string) => {
    outcomes[what] = (outcomes[what] ?? 0) + 1;
  };
  return {
    ...size,
    target,
    memory: target.memory.fromNow(),
    innocentFromNow: () => target.innocent.fromNow(() => workDone),
    address,
    count,
    async post(options) {
      const from = address(options.from);
      const headers = { ...target.headers(from), ...options.headers };
      const outcome = await post(target.server.url, from, { ...options, headers });
      if (isWork(outcome)) workDone++;
      count(nameOf(outcome));
      if (outcome.kind !== 'answered' && options.offeredAfterMs === undefined) {
        faults.push(`no answer: ${outcome.kind === 'cut' ? outcome.reason : 'silence'}`);
      }
      return outcome;
    },
    fault: (what) => {
      faults.push(what);
    },
    figure: (name, value) => {
      figures[name] = value;
    },
  };
}

const ADDRESSES_EACH = 40;

/** True if a file was worked on rather than refused at once. */
const isWork = (outcome: Outcome) =>
  outcome.kind === 'answered' && (outcome.status === 200 || outcome.status === 422);
