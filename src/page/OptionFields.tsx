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
