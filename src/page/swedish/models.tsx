import './swedish.css';
import { useEffect, useState } from 'react';
import type { InterfaceLanguage } from '../../widget/options.ts';
import { swedishStringsIn } from './swedish-strings-en.ts';
import type { SwedishStrings } from './swedish-strings-sv.ts';

/** Address of the server's models, beside the page. */
const ADDRESS = 'api/models';
/** Short enough that the page says within 10 s that no answer comes. */
const TIMEOUT_MS = 5_000;

/** A model that the server can run by itself. */
export type Model = {
  readonly id: string;
  readonly name: string;
  readonly languages: readonly string[];
  /** As the server names it: `absent`, `fetching`, `paused`, `ready` and so on. */
  readonly state: string;
  /** Why it failed, as a code; null when it has not. */
  readonly fault: string | null;
  /** 0 to 1. */
  readonly share: number;
  /** Time without a byte, in ms; null when it is not being fetched. */
  readonly stillMs?: number | null;
  readonly downloadBytes: number;
  readonly diskBytes: number;
  readonly memoryBytes: number;
  readonly licence: string;
  readonly licenceUrl: string;
  readonly attribution: string;
  /** Address of its description. */
  readonly source: string;
  /** Changes made to it, in English; null for none. */
  readonly changes: string | null;
};

/** The server's answer. */
export type ModelList = {
  readonly models: readonly Model[];
  /** Needed to have anything done; null where this page may only look. */
  readonly token: string | null;
};

const NOTHING: ModelList = { models: [], token: null };

/** Commands for a model; `fetch` also goes on and tries again. */
export type ModelAction = 'fetch' | 'pause' | 'cancel';

/** The server's models; none where it has none or is another than ours. Rejects without an answer. */
export async function fetchModels(): Promise<ModelList> {
  const response = await ask(ADDRESS, { cache: 'no-store' });
  if (response.status >= 500) throw new Error(`${ADDRESS} answers ${response.status}`);
  return response.ok ? read(await response.json().catch(() => null)) : NOTHING;
}

/** Sends a command, and gives the state after it; rejects if it is refused or not answered. */
export async function commandModel(id: string, action: ModelAction): Promise<ModelList> {
  // Asked for anew: a server that was started again has another.
  const { token } = await fetchModels();
  const headers = { 'x-diktera-models': token ?? '' };
  const address = `${ADDRESS}/${encodeURIComponent(id)}/${action}`;
  const response = await ask(address, { method: 'POST', headers });
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return read(await response.json());
}

function ask(address: string, init: RequestInit): Promise<Response> {
  return fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** The first of the models that writes `language`; null when none does. */
export function modelFor(models: readonly Model[], language: string): Model | null {
  return models.find(({ languages }) => languages.includes(language)) ?? null;
}

function read(body: unknown): ModelList {
  const { token, models } = Object(body) as Record<string, unknown>;
  if (!Array.isArray(models)) return NOTHING;
  const list = models.filter((model: unknown): model is Model => isModel(Object(model)));
  return { models: list, token: typeof token === 'string' ? token : null };
}

function isModel(model: Readonly<Record<string, unknown>>): boolean {
  const texts = ['id', 'name', 'state', 'licence', 'licenceUrl', 'attribution', 'source'];
  const numbers = ['share', 'downloadBytes', 'diskBytes', 'memoryBytes'];
  return (
    texts.every((key) => typeof model[key] === 'string') &&
    numbers.every((key) => Number.isFinite(model[key])) &&
    Array.isArray(model.languages)
  );
}

/** The server's own models; null until they are known, and where no answer comes. */
function useModelList(): ModelList | null {
  const [list, setList] = useState<ModelList | null>(null);
  useEffect(() => {
    fetchModels().then(setList, () => {});
  }, []);
  return list;
}

/** True if this page can have Swedish fetched. */
export function useIsSwedishOffered(): boolean {
  const list = useModelList();
  return list !== null && list.token !== null && modelFor(list.models, 'sv') !== null;
}

/** Credits of the server's own models, as their licences ask for. */
export function ModelCredits({ language }: { readonly language: InterfaceLanguage }) {
  const list = useModelList();
  const strings = swedishStringsIn(language);
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

type CreditProps = { readonly model: Model; readonly strings: SwedishStrings };

/** Maker, licence and changes of a model. */
export function Credit({ model, strings: { credits } }: CreditProps) {
  const { id, name, licence, licenceUrl, source } = model;
  const own = credits.of[id];
  const { attribution, changes } = own ?? model;
  const lang = own ? undefined : 'en';
  return (
    <p className="swedish-credit">
      <a href={source} target="_blank" rel="noreferrer">
        {name}
      </a>
      <span>{` ${credits.by} `}</span>
      <span lang={lang}>{attribution}</span>
      <span>{`. ${credits.licence} `}</span>
      <a href={licenceUrl} target="_blank" rel="noreferrer license">
        {licence}
      </a>
      {changes !== null && (
        <>
          <span>{`. ${credits.changed} `}</span>
          <span lang={lang}>{changes}</span>
        </>
      )}
      <span>.</span>
    </p>
  );
}
