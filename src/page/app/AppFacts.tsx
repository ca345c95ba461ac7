import { useEffect, useState } from 'react';
import type { Dictation } from '../../core/contracts/dictation.ts';
import type { StorageFacts } from '../../core/recordings/recording.ts';
import type { InterfaceLanguage } from '../../widget/interface-language.ts';
import type { AppStrings } from './app-strings-sv.ts';
import { pageVersion } from './build-version.ts';
import { isKept } from './registration.ts';

type AppFactsProps = {
  readonly dictation: Dictation;
  readonly strings: AppStrings['facts'];
  /** In which figures are written. */
  readonly language: InterfaceLanguage;
};

type Facts = { readonly isKept: boolean; readonly storage: StorageFacts };

/** Which build the page is of, whether it opens without a network, and what is stored here. */
export function AppFacts({ dictation, strings, language }: AppFactsProps) {
  const [facts, setFacts] = useState<Facts | null>(null);
  useEffect(() => {
    let isOver = false;
    Promise.all([isKept(), dictation.recordings.storage()]).then(
      ([kept, storage]) => !isOver && setFacts({ isKept: kept, storage }),
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [dictation]);
  const { usedBytes = null, quotaBytes = null, isPersisted = null } = facts?.storage ?? {};
  const rows: readonly (readonly [name: string, fact: string, key: string])[] = [
    [strings.version, pageVersion() || strings.noVersion, 'version'],
    [strings.kept, strings.isKept[answer(facts?.isKept ?? null)], 'kept'],
    [
      strings.storage,
      usedBytes === null || quotaBytes === null
        ? strings.notTold
        : strings.stored(megabytes(usedBytes, language), megabytes(quotaBytes, language)),
      'storage',
    ],
    [strings.persisted, strings.isPersisted[answer(isPersisted)], 'persisted'],
  ];
  return (
    <table className="app-facts">
      <caption className="visually-hidden">{strings.title}</caption>
      <tbody>
        {rows.map(([name, fact, key]) => (
          <tr key={key} data-fact={key}>
            <th scope="row">{name}</th>
            <td>{fact}</td>
          </tr>
        ))}
        <TellingFact strings={strings} />
      </tbody>
    </table>
  );
}

/** Whether texts that come while the page is closed are told of; asked for by a press alone. */
function TellingFact({ strings }: { readonly strings: AppStrings['facts'] }) {
  const [permission, setPermission] = useState(tellingPermission);
  const ask = (): void => {
    Notification.requestPermission().then(setPermission, () => setPermission('denied'));
  };
  return (
    <tr data-fact="told">
      <th scope="row">{strings.told}</th>
      <td>
        {permission === 'default' ? (
          <button type="button" className="tool is-outlined" onClick={ask}>
            {strings.tell}
          </button>
        ) : (
          <span>{strings.isTold[permission]}</span>
        )}
      </td>
    </tr>
  );
}

/** None where no browser would call the service worker of a closed page. */
function tellingPermission(): NotificationPermission | 'none' {
  return 'SyncManager' in globalThis && 'Notification' in globalThis
    ? Notification.permission
    : 'none';
}

function answer(is: boolean | null): 'yes' | 'no' | 'unknown' {
  if (is === null) return 'unknown';
  return is ? 'yes' : 'no';
}

function megabytes(bytes: number, language: string): string {
  const unit = { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, unit).format(bytes / 1_000_000);
}
