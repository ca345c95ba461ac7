import { memo, useEffect, useRef, useState } from 'react';
import type { Dictation } from '../../core/contracts/dictation.ts';
import type { InterfaceLanguage } from '../../widget/interface-language.ts';
import { quickLanguageName } from '../page-languages.ts';
import type { SettingsStore } from '../settings.ts';
import { createModelsClient, type ModelAction, modelFor } from './models-client.ts';
import { retryLanguage } from './retry-language.ts';
import { MissingView, SwedishView } from './SwedishView.tsx';
import { swedishStringsIn } from './swedish-strings.ts';
import { useModels } from './use-models.ts';

export type SwedishPanelProps = {
  readonly dictation: Dictation;
  readonly settings: SettingsStore;
  readonly language: InterfaceLanguage;
  /** Whether somebody wants Swedish now: else it is not offered. */
  readonly isWanted: boolean;
  /** The language that will be spoken and that the server does not have; null if it has it. */
  readonly missing: string | null;
};

/** Nothing is under way: whoever may have it fetched can ask for it. */
const IDLE_STATES: readonly string[] = ['absent', 'failed', 'quarantined'];

const client = createModelsClient((...call) => fetch(...call));

/**
 * Says that the server lacks what will be spoken. Offers to have the model for Swedish fetched, says
 * how far it is, and when it is ready has written down what waited.
 */
export const SwedishPanel = memo(function SwedishPanel(props: SwedishPanelProps) {
  const { dictation, settings, language, isWanted, missing } = props;
  const { list, isAway, act } = useModels(client, 'sv');
  const [isClosed, setIsClosed] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  /** Whether it has been seen on its way: who finds it ready is told nothing. */
  const wasMissing = useRef(false);
  const wasUnderWay = useRef(false);
  /** Whether the language was chosen by asking for the model: that is taken back with it. */
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
    // All else that waits, and a look at what the server knows now.
    if (state === 'ready') dictation.retry(null);
  }, [dictation, state]);

  async function onAct(action: ModelAction): Promise<void> {
    if (model === null) return;
    const isDone = await act(model.id, action);
    setHasFailed(!isDone);
    if (!isDone) return;
    if (action === 'fetch') {
      // Whoever asks for Swedish speaks it: what is said from here on waits for it.
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
      isWaitedFor={missing !== null}
      strings={strings}
      onAct={(action) => void onAct(action)}
      onClose={() => setIsClosed(true)}
    />
  );
});
