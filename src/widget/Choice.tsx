import { useId } from 'react';

type ChoiceProps = {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
};

/** One of several, in the browser's own menu: right for a keyboard, a phone and a screen reader. */
export function Choice({ label, help, value, choices, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className="option">
      <label className="option-choice">
        <span>{label}</span>
        <select
          value={value}
          aria-describedby={help ? id : undefined}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {choices.map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {help && (
        <p id={id} className="option-help">
          {help}
        </p>
      )}
    </div>
  );
}
