import { ChevronDown } from 'lucide-react';
import { type ComponentType, useEffect, useState } from 'react';
import { useStrings } from '../widget/strings.ts';
import type { DiagnosticsAccountProps } from './app/DiagnosticsAccount.tsx';
import { fetchApp } from './fetch-app.ts';
import './styles/diagnostics.css';
import { usePageStrings } from './page-strings.ts';
import { useToggled } from './use-toggled.ts';

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

/** Few open this, so it comes when it is wanted. */
function AccountLater(props: DiagnosticsAccountProps) {
  const { failed } = useStrings().waiting;
  const [loaded, setLoaded] = useState<Loaded | 'failed' | null>(null);
  useEffect(() => {
    fetchApp().then(
      ({ DiagnosticsAccount }) => setLoaded({ Account: DiagnosticsAccount }),
      () => setLoaded('failed'),
    );
  }, []);
  if (loaded === null) return null;
  if (loaded === 'failed') return <p role="alert">{failed}</p>;
  return <loaded.Account {...props} />;
}

type Loaded = { readonly Account: ComponentType<DiagnosticsAccountProps> };
