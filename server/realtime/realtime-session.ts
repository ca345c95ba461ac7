import { randomUUID } from 'node:crypto';
import { assertNever } from '../../src/core/assert-never.ts';
import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import { ApiError } from '../core/api-error.ts';
import type { Admitted } from '../scheduling/admission.ts';
import { shuttingDown } from '../scheduling/work-queue.ts';
import { createOpenItem, type OpenItem } from './open-item.ts';
import {
  type ClientEvent,
  DEFAULT_SESSION,
  described,
  describedOldForm,
  internalError,
  type NamedPart,
  namedIn,
  RealtimeProblem,
  readMessage,
  type SessionConfig,
  type TurnSettings,
  tooLong,
  typeOf,
  updated,
} from './session-config.ts';
import type { SpeechKernel } from './turn-finder.ts';
import { createTurns, type TurnStep, type Turns } from './turns.ts';

/** The limits of one connection. */
type RealtimeLimits = {
  /** The longest item, in ms. */
  readonly maxAudioMs: number;
  /** The largest item, in bytes. */
  readonly maxItemBytes: number;
  /** Audio of one connection in all, in ms. */
  readonly maxConnectionAudioMs: number;
  /** The longest wait for the first event, in ms. */
  readonly firstEventMs: number;
  /** The silence that ends a connection on which nothing is worked on, in ms. */
  readonly idleMs: number;
};

/** The words of one item. */
export type HeardItem = { readonly text: string; readonly durationMs: number };

/** The parts that a session works with. */
type RealtimePorts = {
  readonly clock: Clock;
  readonly limits: RealtimeLimits;
  /** The language in the address of the connection; '' for none. */
  readonly language: string;
  /** Sends one event to the client. */
  readonly send: (event: object) => void;
  /** Stops the client from sending more, or lets it go on. */
  readonly hold: (isHeld: boolean) => void;
  /** Ends the connection, with a code of WebSocket. */
  readonly close: (code: number, reason: string) => void;
  /** Lets the audio of one more item in. Throws an ApiError. */
  readonly enter: () => Admitted;
  /** Throws an ApiError when the client has had its share of items, or the server has no room. */
  readonly requireRoom: () => void;
  /** Finds turns; null where the server came without the model. */
  readonly kernel: () => SpeechKernel | null;
  /** Throws an ApiError for a language nobody here writes. */
  readonly checkLanguage: (language: string) => void;
  /** Rejects with an ApiError. */
  readonly transcribe: (
    file: Uint8Array,
    language: string,
    signal: AbortSignal,
  ) => Promise<HeardItem>;
};

/** OpenAI's own least: less holds no word. */
const MIN_ITEM_MS = 100;

/** More than the head of a wave file has. */
const WAVE_HEAD_BYTES = 64;

/** Committed items of one connection that are not answered yet. */
const MAX_PENDING = 16;

/** A client that sends so much that cannot be done is no speaker. */
const MAX_PROBLEMS = 50;

/** Audio that is not kept is told of again each time so much more of it has come. */
const TELL_EVERY_MS = 2_000;

/** Updates and clears of one connection: each is answered, and brings no audio. */
const MAX_CHATTER = 10_000;

const CODES = { normal: 1000, goingAway: 1001, policy: 1008, tooBig: 1009, tryAgain: 1013 };

/** Begins the session of a new connection; says `session.created`. */
export function startRealtimeSession(ports: RealtimePorts) {
  const { clock, limits, send, close, hold } = ports;
  const id = `sess_${bareId()}`;
  const work = new AbortController();
  let config: SessionConfig = { ...DEFAULT_SESSION, language: ports.language };
  /**
   * Why the last update was refused, and what it named; null when the session is as its client wants
   * it. Its audio may be of another language, rate or format than the session's: heard as it is set,
   * it would be words nobody said.
   */
  let refused: { readonly problem: Problem; readonly named: ReadonlySet<NamedPart> } | null = null;
  /** The audio dropped since the client was told last; endless before the first time. */
  let untoldMs = Number.POSITIVE_INFINITY;
  let open: OpenItem | null = null;
  let lastItemId: string | null = null;
  let turns: Turns | null = null;
  /** Audio that was heard for turns before `turns`. */
  let turnsFromMs = 0;
  let pending = 0;
  /** Turns among the pending that there is no room for yet: nobody is there to commit them again. */
  const line: Turn[] = [];
  let cancelTry: CancelTimer = () => undefined;
  /** Messages that came before the client was held, and what is left of the one it was held in. */
  const inbox: string[] = [];
  let steps: Iterator<TurnStep> | null = null;
  let step: TurnStep | null = null;
  let stepOf: string | null = null;
  let isHeld = false;
  let problems = 0;
  let chatter = 0;
  let audioMs = 0;
  /** The close that follows once all items are answered; null while it goes on. */
  let ending: { readonly code: number; readonly reason: string } | null = null;
  /** Said once to who goes on when it is about to end. */
  let refusal: ApiError | null = null;
  let isOver = false;
  let cancelIdle: CancelTimer = () => undefined;

  const msOf = (bytes: number) => bytes / 2 / (config.rateHz / 1_000);
  const maxItemMs = () => Math.min(limits.maxAudioMs, msOf(limits.maxItemBytes - WAVE_HEAD_BYTES));
  const say = (type: string, fields: object) => {
    if (!isOver) send({ type, event_id: `event_${bareId()}`, ...fields });
  };

  function waitForMore(ms: number): void {
    cancelIdle();
    cancelIdle = clock.after(ms, () => {
      if (pending > 0) waitForMore(ms);
      else finish(CODES.normal, 'nothing came');
    });
  }

  function finish(code: number, reason: string): void {
    if (isOver) return;
    end();
    close(code, reason);
  }

  function end(): void {
    isOver = true;
    cancelIdle();
    cancelTry();
    letGo();
    inbox.length = 0;
    for (const { item } of line.splice(0)) item.leave();
    hold(false);
    work.abort();
  }

  /** Lets go of the audio that was not committed. */
  function letGo(): void {
    open?.leave();
    open = null;
    forgetTurns();
  }

  function forgetTurns(): void {
    if (turns === null) return;
    turnsFromMs = turns.untilMs();
    turns.dispose();
    turns = null;
    steps = null;
    step = null;
  }

  function sayProblem(problem: Problem, eventId: string | null): void {
    say('error', {
      error: {
        type: typeOf(problem),
        code: problem.code,
        message: problem.message,
        param: null,
        event_id: eventId,
      },
    });
    // Being told to come later is nobody's fault.
    if (problem instanceof RealtimeProblem) problems++;
    else chatter++;
    if (problems >= MAX_PROBLEMS) finish(CODES.policy, 'too many events that cannot be done');
  }

  function update(event: ClientEvent & { kind: 'update' }): void {
    const named = namedIn(event.session);
    try {
      const next = accepted(event.session, named);
      const areOthers = JSON.stringify(next.turns) !== JSON.stringify(config.turns);
      if (areOthers || next.rateHz !== config.rateHz) endTurns();
      config = next;
      refused = null;
    } catch (error) {
      if (!isProblem(error)) throw error;
      refused = { problem: error, named: new Set([...(refused?.named ?? []), ...named]) };
      drop(error);
    }
    if (event.isOldForm) {
      say('transcription_session.updated', { session: describedOldForm(id, config) });
    } else say('session.updated', { session: described(id, config) });
  }

  /** The session with an update, all of it; throws when any of it cannot be done. */
  function accepted(session: unknown, named: readonly NamedPart[]): SessionConfig {
    const next = updated(config, session);
    const [missing] = [...(refused?.named ?? [])].filter((part) => !named.includes(part));
    if (missing !== undefined) {
      const message = `The refused update named the ${missing}: name it again.`;
      throw new RealtimeProblem('field_invalid', message);
    }
    if (next.turns !== null && ports.kernel() === null) {
      const message =
        'This server came without its model of speech, and finds no turns: set turn_detection to null.';
      throw new RealtimeProblem('turn_detection_not_supported', message);
    }
    if (open !== null && next.rateHz !== config.rateHz) {
      const message = 'The rate cannot change while the buffer holds audio.';
      throw new RealtimeProblem('audio_format', message);
    }
    ports.checkLanguage(next.language);
    return next;
  }

  /** Why nothing may be heard now; null when it may. */
  function whyNotHeard(): Problem | null {
    if (refused !== null) return refused.problem;
    try {
      // Nobody may have said a language, or its engine may have gone.
      ports.checkLanguage(config.language);
      return null;
    } catch (error) {
      if (isProblem(error)) return error;
      throw error;
    }
  }

  /** Lets go of the audio that has come, and says why. */
  function drop(problem: Problem): never {
    letGo();
    untoldMs = 0;
    throw notHeard(problem);
  }

  /** True if audio is not kept; throws when the client has to be told. */
  function isDropped(audio: Uint8Array): boolean {
    const problem = whyNotHeard();
    if (problem === null) return false;
    untoldMs += msOf(audio.length);
    return untoldMs < TELL_EVERY_MS || drop(problem);
  }

  /** Takes no more, answers what was committed, and ends. */
  function finishSoon(code: number, reason: string): void {
    ending ??= { code, reason };
    letGo();
    if (pending === 0) finish(ending.code, ending.reason);
  }

  /** Audio that is not taken ends the connection: a gap that nobody sees would be worse. */
  function append(audio: Uint8Array, eventId: string | null): void {
    if (open === null && isDropped(audio)) return;
    if (config.turns !== null) {
      hearTurns(audio, eventId, config.turns);
      return;
    }
    take(audio, eventId);
  }

  /** False when there is room only once one of the client's own turns is answered. */
  function take(audio: Uint8Array, eventId: string | null): boolean {
    const allMs = audioMs + msOf(audio.length);
    try {
      if (allMs > limits.maxConnectionAudioMs) throw tooLong(limits.maxConnectionAudioMs);
      open ??= createOpenItem(ports.enter());
      const bytes = open.bytes + audio.length;
      if (msOf(bytes) > maxItemMs()) throw tooLong(maxItemMs());
      open.append(audio);
      audioMs = allMs;
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (config.turns !== null && pending > 0 && isLackOfRoom(error)) return false;
      sayProblem(error, eventId);
      finishSoon(error.status === 413 ? CODES.tooBig : CODES.tryAgain, error.code);
      return true;
    }
  }

  function commit(): void {
    const problem = whyNotHeard();
    if (problem !== null) drop(problem);
    if (open === null || msOf(open.bytes) < MIN_ITEM_MS) {
      const message = `The buffer holds less than ${MIN_ITEM_MS} ms of audio.`;
      throw new RealtimeProblem('input_audio_buffer_commit_empty', message);
    }
    if (pending >= MAX_PENDING) {
      const message = `${MAX_PENDING} items are worked on already; commit again when one is done.`;
      throw new RealtimeProblem('rate_limited', message);
    }
    ports.requireRoom();
    const item = open;
    open = null;
    sayCommitted(item);
    pending++;
    void transcribe(item);
  }

  function sayCommitted({ id: item_id }: OpenItem): void {
    say('input_audio_buffer.committed', { item_id, previous_item_id: lastItemId });
    lastItemId = item_id;
  }

  /** Commits what a client said before it changed how turns are found, or stopped having them found. */
  function endTurns(): void {
    if (turns?.isInTurn()) commitTurn();
    forgetTurns();
  }

  /** Has each turn in it committed at its end, as far as there is room. */
  function hearTurns(audio: Uint8Array, eventId: string | null, settings: TurnSettings): void {
    const kernel = ports.kernel();
    if (kernel === null) return;
    turns ??= createTurns(kernel, settings, config.rateHz, turnsFromMs);
    steps = turns.hear(audio);
    stepOf = eventId;
  }

  /** Takes the next step of the audio under way; false when there is no room for it yet. */
  function takeNext(from: Iterator<TurnStep>): boolean {
    const next = step ?? from.next().value ?? null;
    step = null;
    if (next === null) steps = null;
    else if (!takeStep(next)) {
      step = next;
      return false;
    }
    return true;
  }

  function takeStep(step: TurnStep): boolean {
    switch (step.kind) {
      case 'started': {
        if (!take(step.pcm, stepOf)) return false;
        const item_id = open?.id;
        const audio_start_ms = step.atMs;
        // It was too much.
        if (item_id === undefined) return true;
        say('input_audio_buffer.speech_started', { audio_start_ms, item_id });
        return true;
      }
      case 'sound':
        // Somebody who speaks on past the longest item gets it in two.
        if (open !== null && msOf(open.bytes + step.pcm.length) > maxItemMs()) commitTurn();
        return take(step.pcm, stepOf);
      case 'stopped': {
        // An item that the client has just committed by hand has the end of the speech.
        const item_id = open?.id ?? lastItemId;
        say('input_audio_buffer.speech_stopped', { audio_end_ms: step.atMs, item_id });
        commitTurn();
        return true;
      }
      default:
        return assertNever(step);
    }
  }

  /**
   * As `commit`, but a turn waits for room: nobody is there to try again. Less than the least that a
   * client left of a turn by its own commit is let go.
   */
  function commitTurn(): void {
    const item = open;
    if (item === null) return;
    open = null;
    if (msOf(item.bytes) < MIN_ITEM_MS) {
      item.leave();
      return;
    }
    sayCommitted(item);
    pending++;
    line.push({ item, sinceMs: clock.nowMs() });
    goOnWithLine();
  }

  /** Begins with the turns that there is room for. */
  function goOnWithLine(): void {
    cancelTry();
    for (let turn = line.shift(); turn !== undefined; turn = line.shift()) {
      try {
        const problem = whyNotHeard();
        if (problem !== null) throw problem;
        ports.requireRoom();
        void transcribe(turn.item, turn);
      } catch (error) {
        if (!isProblem(error)) throw error;
        if (isToWait(error, turn)) return;
        sayFailed(turn.item, error);
        answered(turn.item);
      }
    }
  }

  /** Puts a turn back in line where there may soon be room for it; false when it has to fail. */
  function isToWait(problem: unknown, turn: Turn | null): boolean {
    if (turn === null || isOver || ending !== null || !isLackOfRoom(problem)) return false;
    const waitMs = 1_000 * (problem.retryAfterS ?? 0);
    if (clock.nowMs() + waitMs > turn.sinceMs + limits.idleMs) return false;
    line.unshift(turn);
    cancelTry();
    cancelTry = clock.after(waitMs, goOn);
    return true;
  }

  function sayFailed({ id: item_id }: OpenItem, problem: Problem): void {
    const { code, message } = problem;
    say('conversation.item.input_audio_transcription.failed', {
      item_id,
      content_index: 0,
      error: { type: typeOf(problem), code, message, param: null },
    });
  }

  async function transcribe(item: OpenItem, turn: Turn | null = null): Promise<void> {
    const about = { item_id: item.id, content_index: 0 };
    const said = 'conversation.item.input_audio_transcription';
    try {
      const file = item.wave(config.rateHz);
      const { text, durationMs } = await ports.transcribe(file, config.language, work.signal);
      if (text !== '') say(`${said}.delta`, { ...about, delta: text });
      const usage = { type: 'duration', seconds: Math.ceil(durationMs / 1_000) };
      say(`${said}.completed`, { ...about, transcript: text, usage });
    } catch (thrown) {
      if (isToWait(thrown, turn)) return;
      sayFailed(item, thrown instanceof ApiError ? thrown : internalError());
    }
    answered(item);
    goOn();
  }

  function answered(item: OpenItem): void {
    item.leave();
    pending--;
    if (ending !== null && pending === 0) finish(ending.code, ending.reason);
  }

  /** Does all that there is room for, and holds the client while something is left. */
  function goOn(): void {
    goOnWithLine();
    while (!isOver && isAnyDone());
    const isLeft = steps !== null || inbox.length > 0;
    if (isLeft === isHeld || isOver) return;
    isHeld = isLeft;
    hold(isHeld);
  }

  /** Does one thing more; false when nothing is left, or there is no room for it yet. */
  function isAnyDone(): boolean {
    const isFull = line.length > 0 || pending >= MAX_PENDING;
    if (steps !== null) return !isFull && takeNext(steps);
    // A commit by hand can be refused.
    if (isFull && config.turns !== null && ending === null) return false;
    const text = inbox.shift();
    if (text !== undefined) read(text);
    return text !== undefined;
  }

  function act(event: ClientEvent, eventId: string | null): void {
    switch (event.kind) {
      case 'append':
        append(event.audio, eventId);
        return;
      case 'commit':
        commit();
        return;
      case 'update':
        chatter++;
        update(event);
        return;
      case 'clear':
        chatter++;
        letGo();
        say('input_audio_buffer.cleared', {});
        return;
      default:
        assertNever(event);
    }
  }

  say('session.created', { session: described(id, config) });
  waitForMore(limits.firstEventMs);

  function read(text: string): void {
    const { eventId, event } = readMessage(text);
    if (ending !== null) {
      if (refusal !== null) sayProblem(refusal, eventId);
      refusal = null;
      return;
    }
    try {
      if (event instanceof RealtimeProblem) throw event;
      waitForMore(limits.idleMs);
      act(event, eventId);
      if (chatter >= MAX_CHATTER) finish(CODES.policy, 'too many events without audio');
    } catch (error) {
      if (!isProblem(error)) throw error;
      sayProblem(error, eventId);
    }
  }

  return {
    /** Takes in one message. While the client is held, it waits with those before it. */
    receive(text: string) {
      if (isOver) return;
      inbox.push(text);
      goOn();
    },
    /** The client has gone: all its work stops. */
    end: () => {
      if (!isOver) end();
    },
    /** The server stops: what was committed is answered, then the connection ends with 1001. */
    stop() {
      if (isOver || ending !== null) return;
      refusal = shuttingDown();
      finishSoon(CODES.goingAway, 'the server stops');
      goOn();
    },
  };
}

/** A turn that was committed by the server, and when. */
type Turn = { readonly item: OpenItem; readonly sinceMs: number };

/** Refusals that pass by themselves, and are no fault of the audio. */
const LACKS_OF_ROOM = ['rate_limited', 'queue_full', 'engine_busy', 'engine_loading'];

function isLackOfRoom(problem: unknown): problem is ApiError {
  return problem instanceof ApiError && LACKS_OF_ROOM.includes(problem.code);
}

type Problem = RealtimeProblem | ApiError;

const isProblem = (error: unknown): error is Problem =>
  error instanceof RealtimeProblem || error instanceof ApiError;

/** The same problem, with what it means for the audio. */
function notHeard(problem: Problem): Problem {
  const message = `${problem.message} Until an update of the session is accepted, audio is not kept and nothing is transcribed.`;
  if (problem instanceof RealtimeProblem) return new RealtimeProblem(problem.code, message);
  return new ApiError(problem.status, problem.code, message);
}

const bareId = () => randomUUID().replaceAll('-', '');
