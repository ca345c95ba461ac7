import { Copy } from 'lucide-react';
import { useState } from 'react';
import { SAMPLE_RATE_HZ } from '../../core/audio/audio-format.ts';
import type { Dictation } from '../../core/contracts/dictation.ts';
import {
  LEDGER_PLACES,
  type SampleLedger,
  samplesInPlaces,
} from '../../core/session/sample-ledger.ts';
import type { InterfaceLanguage } from '../../widget/interface-language.ts';
import { useSnapshot } from '../../widget/use-snapshot.ts';
import { AppFacts } from './AppFacts.tsx';
import { appStringsIn } from './app-strings.ts';
import type { AppStrings } from './app-strings-sv.ts';
import { diagnosticsReport } from './diagnostics-report.ts';

export type DiagnosticsAccountProps = {
  readonly dictation: Dictation;
  /** Copies; false if it could not. */
  readonly copy: (text: string) => Promise<boolean>;
  readonly language: InterfaceLanguage;
};

/** Where all recorded sound is, what the page is as an app, and a way to send that to somebody. */
export function DiagnosticsAccount({ dictation, copy, language }: DiagnosticsAccountProps) {
  const { account: strings, facts } = appStringsIn(language);
  const ledger = useSnapshot(dictation, (snapshot) => snapshot.ledger);
  const [told, setTold] = useState('');
  const copyReport = async (): Promise<void> => {
    const isCopied = await copy(diagnosticsReport(dictation.getSnapshot()));
    setTold(isCopied ? strings.copied : strings.notCopied);
  };
  return (
    <div className="diagnostics">
      <p>{strings.about}</p>
      <LedgerTable ledger={ledger} strings={strings} />
      <p>{isInOrder(ledger) ? strings.inOrder : strings.notInOrder}</p>
      <AppFacts dictation={dictation} strings={facts} language={language} />
      <p className="diagnostics-copy">
        <button type="button" className="tool is-outlined" onClick={() => void copyReport()}>
          <Copy aria-hidden />
          <span>{strings.copy}</span>
        </button>
        <span role="status">{told}</span>
      </p>
    </div>
  );
}

type LedgerTableProps = {
  readonly ledger: SampleLedger;
  readonly strings: AppStrings['account'];
};

function LedgerTable({ ledger, strings }: LedgerTableProps) {
  const seconds = (samples: number): string => strings.seconds(samples / SAMPLE_RATE_HZ);
  const reasons = Object.entries(ledger.lostReasons).filter(([, samples]) => samples > 0);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{strings.place}</th>
          <th scope="col">{strings.length}</th>
        </tr>
      </thead>
      <tbody>
        {LEDGER_PLACES.map((place) => (
          <tr key={place} data-place={place}>
            <th scope="row">{strings.places[place]}</th>
            <td>{seconds(ledger[place])}</td>
          </tr>
        ))}
        {reasons.map(([reason, samples]) => (
          <tr key={reason} className="diagnostics-reason">
            <th scope="row">{strings.lostReasons[reason as keyof SampleLedger['lostReasons']]}</th>
            <td>{seconds(samples)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{strings.captured}</th>
          <td>{seconds(ledger.capturedSamples)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function isInOrder(ledger: SampleLedger): boolean {
  return ledger.lostSamples === 0 && samplesInPlaces(ledger) === ledger.capturedSamples;
}
