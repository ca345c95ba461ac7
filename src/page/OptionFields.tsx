import { type ReactNode, useId } from 'react';

/** Options that belong together. */
export function Group({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <fieldset className="options-group">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

type CheckProps = {
  readonly label: string;
  readonly help?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
};

/** On or off. */
export function Check({ label, help, isOn, onChange }: CheckProps) {
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
        {label}
      </label>
      {help && (
        <p id={id} className="option-help">
          {help}
        </p>
      )}
    </div>
  );
}

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
        {label}
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
