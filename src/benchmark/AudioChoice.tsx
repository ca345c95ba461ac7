import { FileButton } from './FileButton.tsx';
import { WORDS } from './strings.ts';

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
      <legend>{WORDS.audioTitle}</legend>
      <p>{file?.name ?? WORDS.builtIn}</p>
      <FileButton
        label={WORDS.chooseFile}
        accept="audio/*,.wav,.flac,.ogg,.webm,.m4a"
        onChoose={([chosen]) => onChange(chosen ?? null)}
      />
      {file && (
        <button type="button" className="button" onClick={() => onChange(null)}>
          {WORDS.useBuiltIn}
        </button>
      )}
    </fieldset>
  );
}
