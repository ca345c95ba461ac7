import { waitingState } from '../../core/queue/queue-item.ts';
import './swedish.css';
import { Download, Pause, Play, RotateCw, X } from 'lucide-react';
import { memo, useCallback, useEffect, useId, useRef, useState } from 'react';
import type { Dictation } from '../../core/contracts/dictation.ts';
import { isSame } from '../../core/session/spoken-language.ts';
import { ConfirmDialog } from '../../widget/fields.tsx';
import type { InterfaceLanguage } from '../../widget/options.ts';
import { quickLanguageName } from '../server.ts';
import type { SettingsStore } from '../settings.ts';
import {
  commandModel,
  fetchModels,
  type Model,
  type ModelAction,
  type ModelList,
  modelFor,
} from './models.tsx';
import { swedishStringsIn } from './swedish-strings-en.ts';
import type { SwedishStrings } from './swedish-strings-sv.ts';

export type SwedishPanelProps = {
  readonly dictation: Dictation;
  readonly settings: SettingsStore;
  readonly language: InterfaceLanguage;
  /** Somebody wants Swedish now; else the model is not offered. */
  readonly isWanted: boolean;
  /** The language that will be spoken and that the server does not have; null if it has it. */
  readonly missing: string | null;
};

/** States in which nothing is under way, and the model can be asked for. */
const IDLE_STATES: readonly string[] = ['absent', 'failed', 'quarantined'];

/**
 * Says that the server lacks what will be spoken. Offers to have the model for Swedish fetched, says
 * how far it is, and when it is ready has written down what waited.
 */
export const SwedishPanel = memo(function SwedishPanel(props: SwedishPanelProps) {
  const { dictation, settings, language, isWanted, missing } = props;
  const { list, isAway, act } = useModels('sv');
  const [isClosed, setIsClosed] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  /** The model was missing when the page looked: a model that was ready is not mentioned. */
  const wasMissing = useRef(false);
  const wasUnderWay = useRef(false);
  /** The language was chosen by asking for the model, and is taken back with it. */
  const isChosenHere = useRef(false);
  const model = list === null ? null : modelFor(list.models, 'sv');
  const state = model?.state ?? null;
  const mayFetch = list !== null && list.token !== null;

  useEffect(() => {
    if (state === null) return;
    const isGivenUp = wasUnderWay.current && IDLE_STATES.includes(state);
    wasUnderWay.current = !IDLE_STATES.includes(state) && state !== 'ready';
    if (state !== 'ready') wasMissing.current = true;
    if (state === 'ready' || isGivenUp) retryLanguage(dictation, 'sv');
    // Sends the rest, and reads the server's languages anew.
    if (state === 'ready') dictation.retry(null);
  }, [dictation, state]);

  async function onAct(action: ModelAction): Promise<void> {
    if (model === null) return;
    const isDone = await act(model.id, action);
    setHasFailed(!isDone);
    if (!isDone) return;
    if (action === 'fetch') {
      // A person who asks for Swedish speaks it: dictations from here on wait for the model.
      if (settings.getSettings().language === '') {
        isChosenHere.current = true;
        settings.change({ language: 'sv' });
      }
      // From here on it waits by itself, also after this page.
      retryLanguage(dictation, 'sv');
    }
    if (action === 'cancel' && isChosenHere.current) settings.change({ language: '' });
  }

  const strings = swedishStringsIn(language);
  const isBeyondUs = model === null || (IDLE_STATES.includes(model.state) && !mayFetch);
  if (missing !== null && (missing !== 'sv' || (list !== null && isBeyondUs))) {
    return <MissingView name={quickLanguageName(language, missing)} strings={strings} />;
  }
  if (isBeyondUs || isClosed || (state === 'ready' && !wasMissing.current)) return null;
  if (state === 'absent' && !isWanted) return null;
  return (
    <SwedishView
      model={model}
      mayFetch={mayFetch || state === 'ready'}
      isAway={isAway}
      hasFailed={hasFailed}
      strings={strings}
      onAct={(action) => void onAct(action)}
      onClose={() => setIsClosed(true)}
    />
  );
});

type SwedishViewProps = {
  readonly model: Model;
  /** This page may have the model fetched. */
  readonly mayFetch: boolean;
  readonly isAway: boolean;
  /** The last command failed. */
  readonly hasFailed: boolean;
  readonly strings: SwedishStrings;
  readonly onAct: (action: ModelAction) => void;
  readonly onClose: () => void;
};

/** The panel for a model. Its first button stays the same element, so that the focus stays. */
export function SwedishView(props: SwedishViewProps) {
  const { model, mayFetch, isAway, hasFailed, strings, onAct, onClose } = props;
  const [isAsking, setIsAsking] = useState(false);
  const id = useId();
  const stage = stageOf(model.state);
  const isOnItsWay = stage === 'fetching' || stage === 'preparing' || stage === 'paused';
  const isBegun = isOnItsWay || stage === 'failed';
  const first = firstButton(stage, model, strings);
  return (
    <section className="swedish" aria-labelledby={id} data-stage={stage}>
      <h2 id={id}>{strings[stage].title}</h2>
      {stage === 'absent' && <p>{strings.absent.text}</p>}
      {stage === 'failed' && <p className="swedish-fault">{faultText(model, strings)}</p>}
      {stage === 'ready' && <p>{strings.waitedFor}</p>}
      {isOnItsWay && <Progress model={model} strings={strings} />}
      {mayFetch && (
        <p className="swedish-tools">
          <button
            type="button"
            className={`tool ${stage === 'absent' ? 'is-primary' : 'is-outlined'}`}
            onClick={() => (first.action === null ? onClose() : onAct(first.action))}
          >
            <first.Icon aria-hidden />
            <span>{first.text}</span>
          </button>
          {isBegun && (
            <button type="button" className="tool" onClick={() => setIsAsking(true)}>
              {strings.cancel}
            </button>
          )}
        </p>
      )}
      <p role="status" className={isAway || hasFailed ? '' : 'visually-hidden'}>
        {hasFailed ? strings.notDone : isAway ? strings.away : spoken(stage, model, strings)}
      </p>
      {isAsking && (
        <ConfirmDialog
          title={strings.cancelTitle}
          warning={strings.cancelWarning}
          confirm={strings.cancelConfirm}
          cancel={strings.cancelKeep}
          onConfirm={() => onAct('cancel')}
          onClose={() => setIsAsking(false)}
        />
      )}
    </section>
  );
}

type ProgressProps = Pick<SwedishViewProps, 'model' | 'strings'>;

function Progress({ model, strings }: ProgressProps) {
  return (
    <>
      <p className="swedish-progress">
        <progress aria-label={strings.progress} max={1} value={model.share} />
        <span aria-hidden>{strings.percent(model.share)}</span>
      </p>
      {isStill(model) && <p className="swedish-fault">{strings.still}</p>}
      <p>{strings.waits}</p>
    </>
  );
}

/** A network that is slow brings something by then. */
const STILL_MS = 6_000;

function isStill({ state, stillMs }: Model): boolean {
  return state === 'fetching' && (stillMs ?? 0) >= STILL_MS;
}

type MissingViewProps = { readonly name: string; readonly strings: SwedishStrings };

/** A language that the server lacks, and that this page cannot have it get. */
function MissingView({ name, strings: { missing } }: MissingViewProps) {
  const id = useId();
  return (
    <section className="swedish" aria-labelledby={id} data-stage="missing">
      <h2 id={id}>{missing.title(name)}</h2>
      <p>{missing.text(name)}</p>
    </section>
  );
}

type Stage = 'absent' | 'fetching' | 'preparing' | 'paused' | 'failed' | 'ready';

function stageOf(state: string): Stage {
  switch (state) {
    case 'fetching':
    case 'paused':
    case 'failed':
    case 'ready':
      return state;
    case 'converting':
    case 'trying':
      return 'preparing';
    case 'quarantined':
      return 'failed';
    default:
      return 'absent';
  }
}

function firstButton(stage: Stage, model: Model, strings: SwedishStrings) {
  switch (stage) {
    case 'absent':
      return {
        text: strings.fetch(strings.size(model.downloadBytes)),
        action: 'fetch',
        Icon: Download,
      } as const;
    case 'paused':
      return { text: strings.goOn, action: 'fetch', Icon: Play } as const;
    case 'failed':
      return { text: strings.again, action: 'fetch', Icon: RotateCw } as const;
    case 'ready':
      return { text: strings.close, action: null, Icon: X } as const;
    default:
      return { text: strings.pause, action: 'pause', Icon: Pause } as const;
  }
}

/** Text for screen readers; it changes with each stage, and with each tenth of the download. */
function spoken(stage: Stage, model: Model, strings: SwedishStrings): string {
  const { title } = strings[stage];
  // The heading and the button say it.
  if (stage === 'absent') return '';
  if (stage === 'failed') return `${title}. ${faultText(model, strings)}`;
  if (isStill(model)) return strings.still;
  const tenth = Math.floor(model.share * 10) / 10;
  return stage === 'fetching' && tenth > 0 ? `${title}, ${strings.percent(tenth)}` : title;
}

function faultText({ fault, diskBytes, memoryBytes }: Model, strings: SwedishStrings): string {
  const { faults, size } = strings;
  const known = fault !== null && Object.hasOwn(faults, fault) ? fault : 'unknown';
  return faults[known as keyof typeof faults](size(diskBytes), size(memoryBytes));
}

/** While something is under way, where no answer came, and else: another tab may begin it. */
const BUSY_REFRESH_MS = 1_000;
const AWAY_REFRESH_MS = 10_000;
const IDLE_REFRESH_MS = 30_000;

const UNDER_WAY = ['fetching', 'converting', 'trying'];

/** Fetches the list of models again and again, until the one for `language` is ready. */
function useModels(language: string) {
  /** Null until it is known. */
  const [list, setList] = useState<ModelList | null>(null);
  /** The last request was not answered. */
  const [isAway, setIsAway] = useState(false);
  /** Number of the newest request: an older answer that comes late is ignored. */
  const turn = useRef(0);

  const take = useCallback(async (answer: Promise<ModelList>): Promise<boolean> => {
    const own = ++turn.current;
    try {
      const next = await answer;
      if (own !== turn.current) return true;
      setList(next);
      setIsAway(false);
      return true;
    } catch {
      if (own === turn.current) setIsAway(true);
      return false;
    }
  }, []);

  const state = list === null ? 'unknown' : (modelFor(list.models, language)?.state ?? 'none');
  const isOver = state === 'ready' || state === 'none';
  const restMs = UNDER_WAY.includes(state) ? BUSY_REFRESH_MS : IDLE_REFRESH_MS;
  const pauseMs = isAway ? AWAY_REFRESH_MS : restMs;
  useEffect(() => {
    if (isOver) return;
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = async (): Promise<void> => {
      await take(fetchModels());
      if (!isGone) timer = setTimeout(refresh, document.hidden ? IDLE_REFRESH_MS : pauseMs);
    };
    if (state === 'unknown' && !isAway) void refresh();
    else timer = setTimeout(refresh, pauseMs);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [take, state, isAway, isOver, pauseMs]);

  /** Sends a command; false if it failed. */
  const act = useCallback(
    async (id: string, action: ModelAction): Promise<boolean> => {
      const isDone = await take(commandModel(id, action));
      // Refused is not away: the next request tells.
      if (!isDone) void take(fetchModels());
      return isDone;
    },
    [take],
  );
  return { list, isAway, act };
}

/**
 * Tries all in a language once more: a server that has got it, or is getting it, takes what it has
 * refused before, and one that gets it no longer says so of what waited for it.
 */
function retryLanguage(dictation: Dictation, language: string): void {
  for (const { id, options, state } of dictation.getSnapshot().queue.items) {
    const isUnwritten = state.kind === 'refused' || waitingState(state) !== null;
    const [likeliest = ''] = options.likelyLanguages ?? [];
    const isInIt = isSame(options.language || likeliest, language);
    if (isUnwritten && isInIt) dictation.retry(id);
  }
}
