import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { fetchedLater } from '../widget/fetched-later.tsx';
import type { DiagnosticsAccountProps } from './app/DiagnosticsAccount.tsx';
import { fetchApp } from './fetch-app.ts';
import './styles/diagnostics.css';
import { usePageStrings } from './page-strings.ts';
import { useToggled } from './use-toggled.ts';

/** Few open this, so it comes when it is wanted. */
const AccountLater = fetchedLater(async () => (await fetchApp()).DiagnosticsAccount);

/** Where all recorded sound is. Closed until it is wanted, and drawn only then. */
export function Diagnostics(props: DiagnosticsAccountProps) {
  const { diagnostics } = usePageStrings();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="disclosure" {...useToggled(setIsOpen)}>
      <summary className="tool">
        <span>{diagnostics}</span>
        <ChevronDown aria-hidden />
      </summary>
      {isOpen && <AccountLater {...props} />}
    </details>
  );
}
