import { useEffect, useState } from 'react';
import type { InterfaceLanguage } from '../../widget/interface-language.ts';
import { Credit } from './Credit.tsx';
import { createModelsClient, type ModelList, modelFor } from './models-client.ts';
import './swedish.css';
import { swedishStringsIn } from './swedish-strings.ts';

export type ModelCreditsProps = {
  readonly language: InterfaceLanguage;
  /** Told whether this page can have Swedish fetched. */
  readonly onOffer: (isOffered: boolean) => void;
};

const client = createModelsClient((...call) => fetch(...call));

/** Whose work the server's own models are, as their licences want it said. */
export function ModelCredits({ language, onOffer }: ModelCreditsProps) {
  const [list, setList] = useState<ModelList | null>(null);
  const strings = swedishStringsIn(language);
  useEffect(() => {
    // Nothing is said of what nobody tells.
    client.list().then(setList, () => {});
  }, []);
  const isOffered = list !== null && list.token !== null && modelFor(list.models, 'sv') !== null;
  useEffect(() => onOffer(isOffered), [isOffered, onOffer]);
  if (list === null || list.models.length === 0) return null;
  return (
    <section className="model-credits">
      <h2>{strings.credits.title}</h2>
      {list.models.map((model) => (
        <Credit key={model.id} model={model} strings={strings} />
      ))}
    </section>
  );
}
