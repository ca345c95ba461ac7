import type { Model } from './models-client.ts';
import type { SwedishStrings } from './swedish-strings-sv.ts';

type CreditProps = { readonly model: Model; readonly strings: SwedishStrings };

/** Who made a model, by which licence it is here, and what was changed in it. */
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
