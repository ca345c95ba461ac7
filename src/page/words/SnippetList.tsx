import { Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, useId, useRef, useState } from 'react';
import type { Replacement } from '../../core/text/replacements.ts';
import { withSnippets } from './own-rules.ts';
import { type PartProps, Switch } from './parts.tsx';
import type { WordsStrings } from './words-strings-sv.ts';

type Strings = WordsStrings['snippets'];

/** "När jag säger X, skriv Y." */
export function SnippetList({ own, change, strings, say }: PartProps<Strings>) {
  const [editing, setEditing] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  /** The form goes, and what had the focus in it. */
  const endEditing = (): void => {
    setEditing(null);
    list.current?.focus();
  };
  const { replacements } = own;
  const add = (snippet: Replacement, instead: string | null): void => {
    void change((before) => withSnippets(without(before, instead), [snippet]));
    if (instead !== null) endEditing();
    say(strings.added(snippet.say));
  };
  const remove = (snippet: Replacement): void => {
    void change((before) => without(before, snippet.say));
    say(strings.removed(snippet.say));
    list.current?.focus();
  };
  return (
    <section className="words-section" aria-label={strings.title}>
      <h3>{strings.title}</h3>
      <p className="option-help">{strings.about}</p>
      <SnippetForm strings={strings} onAdd={(snippet) => add(snippet, null)} say={say} />
      {replacements.length === 0 && <p className="option-help">{strings.none}</p>}
      <ul ref={list} className="words-list" tabIndex={-1} aria-label={strings.title}>
        {replacements.map((snippet) => (
          <li key={snippet.say}>
            {editing === snippet.say ? (
              <SnippetForm
                snippet={snippet}
                strings={strings}
                onAdd={(changed) => add(changed, snippet.say)}
                onCancel={endEditing}
                say={say}
              />
            ) : (
              <div className="words-row">
                <span className="words-word">
                  {snippet.needsKeyWord ? `autotext ${snippet.say}` : snippet.say}
                </span>
                <span className="option-help words-written">{snippet.write}</span>
                <span className="words-tools">
                  <button
                    type="button"
                    className="tool"
                    aria-label={strings.edit(snippet.say)}
                    onClick={() => setEditing(snippet.say)}
                  >
                    <Pencil aria-hidden />
                  </button>
                  <button
                    type="button"
                    className="tool"
                    aria-label={strings.remove(snippet.say)}
                    onClick={() => remove(snippet)}
                  >
                    <Trash2 aria-hidden />
                  </button>
                </span>
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function without<Own extends { readonly replacements: readonly Replacement[] }>(
  before: Own,
  said: string | null,
): Own {
  return { ...before, replacements: before.replacements.filter(({ say }) => say !== said) };
}

type SnippetFormProps = {
  /** The one to be changed. @default a new one */
  readonly snippet?: Replacement;
  readonly strings: Strings;
  readonly onAdd: (snippet: Replacement) => void;
  readonly onCancel?: () => void;
  readonly say: (text: string) => void;
};

function SnippetForm({ snippet, strings, onAdd, onCancel, say: tell }: SnippetFormProps) {
  const [say, setSay] = useState(snippet?.say ?? '');
  const [write, setWrite] = useState(snippet?.write ?? '');
  const [needsKeyWord, setNeedsKeyWord] = useState(snippet?.needsKeyWord ?? false);
  const first = useRef<HTMLInputElement>(null);
  const id = useId();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    first.current?.focus();
    if (!/[\p{L}\p{N}]/u.test(say) || write === '') {
      tell(strings.incomplete);
      return;
    }
    onAdd({ say: say.trim(), write, ...(needsKeyWord && { needsKeyWord }) });
    setSay('');
    setWrite('');
    setNeedsKeyWord(false);
  };
  return (
    <form className="words-form is-wide" onSubmit={submit}>
      <label className="words-field">
        <span>{strings.say}</span>
        <input
          ref={first}
          value={say}
          maxLength={80}
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: whoever asks to change a snippet is to be in its field.
          autoFocus={snippet !== undefined}
          onChange={(event) => setSay(event.currentTarget.value)}
        />
      </label>
      <label className="words-field">
        <span>{strings.write}</span>
        <textarea
          rows={3}
          value={write}
          aria-describedby={id}
          onChange={(event) => setWrite(event.currentTarget.value)}
        />
      </label>
      <p id={id} className="option-help">
        {strings.writeHelp}
      </p>
      <Switch label={strings.needsKeyWord} isOn={needsKeyWord} onChange={setNeedsKeyWord} />
      <span className="words-buttons">
        <button type="submit" className="tool is-outlined">
          {snippet ? strings.save : strings.add}
        </button>
        {onCancel && (
          <button type="button" className="tool" onClick={onCancel}>
            {strings.cancel}
          </button>
        )}
      </span>
    </form>
  );
}
