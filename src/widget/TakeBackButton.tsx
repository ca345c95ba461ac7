import { Undo2 } from 'lucide-react';
import { useStrings } from './strings.ts';
import type { TakeBack } from './use-field-pieces.ts';

/** Takes back the last dictation whole, where it went in piece by piece. */
export function TakeBackButton({ taken }: { readonly taken: TakeBack }) {
  const { takeBack } = useStrings();
  return (
    <button type="button" className="tool" onClick={taken.takeBack}>
      <Undo2 aria-hidden />
      <span>{takeBack}</span>
    </button>
  );
}
