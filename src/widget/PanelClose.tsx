import { X } from 'lucide-react';
import { useStrings } from './strings.ts';

/** Closes the panel at whose head it stands. */
export function PanelClose({ onClose }: { readonly onClose: () => void }) {
  const { dismiss } = useStrings();
  return (
    <button
      type="button"
      className="tool is-quiet waiting-close"
      aria-label={dismiss}
      onClick={onClose}
    >
      <X aria-hidden />
    </button>
  );
}
