import { STRINGS } from './benchmark-strings.ts';
import { FileButton } from './FileButton.tsx';

type AudioChoiceProps = {
  /** The user's file; null for the built-in sample. */
  readonly file: File | null;
  readonly isDisabled: boolean;
  readonly onChange: (file: File | null) => void;
};

/** The built-in sample or a file of one's own. */
export function AudioChoice({ file, isDisabled, onChange }: AudioChoiceProps) {
  return (
    <fieldset className="audio-choice" disabled={isDisabled}>
      <legend>{STRINGS.audioTitle}</legend>
      <p>{file?.name ?? STRINGS.builtIn}</p>
      <FileButton
        label={STRINGS.chooseFile}
        accept="audio/*,.wav,.flac,.ogg,.webm,.m4a"
        onChoose={([chosen]) => onChange(chosen ?? null)}
      />
      {file && (
        <button type="button" className="button" onClick={() => onChange(null)}>
          {STRINGS.useBuiltIn}
        </button>
      )}
    </fieldset>
  );
}
