import { Download, Pause, Play, RotateCw, X } from 'lucide-react';
import { useId, useState } from 'react';
import { ConfirmDialog } from '../../widget/ConfirmDialog.tsx';
import { Credit } from './Credit.tsx';
import type { Model, ModelAction } from './models-client.ts';
import './swedish.css';
import type { SwedishStrings } from './swedish-strings-sv.ts';

/** What is drawn of a model that is missing, on its way, or just come. */
export type SwedishViewProps = {
  readonly model: Model;
  /** Whether this page may have it fetched. */
  readonly mayFetch: boolean;
  readonly isAway: boolean;
  /** What was asked for last could not be done. */
  readonly hasFailed: boolean;
  /** What is dictated from here on waits for it. */
  readonly isWaitedFor: boolean;
  readonly strings: SwedishStrings;
  readonly onAct: (action: ModelAction) => void;
  readonly onClose: () => void;
};

/** The panel for a model. Its first button stays the same element, so that the focus stays. */
export function SwedishView(props: SwedishViewProps) {
  const { model, mayFetch, isAway, hasFailed, isWaitedFor, strings, onAct, onClose } = props;
  const [isAsking, setIsAsking] = useState(false);
  const id = useId();
  const stage = stageOf(model.state);
  const isOnItsWay = stage === 'fetching' || stage === 'preparing' || stage === 'paused';
  const isBegun = isOnItsWay || stage === 'failed';
  const first = firstButton(stage, model, strings);
  return (
    <section className="swedish" aria-labelledby={id} data-stage={stage}>
      <h2 id={id}>{strings[stage].title}</h2>
      {stage === 'absent' && (
        <p>{strings.absent.text(strings.size(model.diskBytes), strings.size(model.memoryBytes))}</p>
      )}
      {stage === 'absent' && isWaitedFor && <p>{strings.absent.waits}</p>}
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
      {stage === 'absent' && <Credit model={model} strings={strings} />}
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
export function MissingView({ name, strings: { missing } }: MissingViewProps) {
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

/** What a screen reader says, and when: with each stage, and with each tenth of the download. */
function spoken(stage: Stage, model: Model, strings: SwedishStrings): string {
  const { title } = strings[stage];
  // The heading and the button say it to whoever comes there.
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
