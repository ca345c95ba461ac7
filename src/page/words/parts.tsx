import { useId } from 'react';
import type { OwnRules, RulesStore } from './own-rules.ts';

/** Props of a part of the panel. */
export type PartProps<Strings> = {
  readonly own: OwnRules;
  readonly change: RulesStore['change'];
  readonly strings: Strings;
  /** Tells what was done, to a screen reader too. */
  readonly say: (text: string) => void;
};

type SwitchProps = {
  readonly label: string;
  readonly help?: string | undefined;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
};

/** On or off. */
export function Switch({ label, help, isOn, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="option">
      <label className="option-check">
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={help ? id : undefined}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {help && (
        <p id={id} className="option-help">
          {help}
        </p>
      )}
    </div>
  );
}
