import { ChevronDown, Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { parseVocabulary, type VocabularyEntry } from '../../core/text/vocabulary.ts';
import { surplusOf, withEntries } from './own-rules.ts';
import type { PartProps } from './parts.tsx';
import type { WordsStrings } from './words-strings-sv.ts';

type Strings = WordsStrings['words'];

/** Words drawn at a time; longer lists are searched instead. */
const SHOWN_AT_ONCE = 30;

/** Own words: one at a time, or many at once. */
export function WordList({ own, change, strings, say }: PartProps<Strings>) {
  const [editing, setEditing] = useState<string | null>(null);
  const [sought, setSought] = useState('');
  const [most, setMost] = useState(SHOWN_AT_ONCE);
  const wanted = useDeferredValue(sought);
  const { vocabulary } = own;
  const found = useMemo(() => entriesWith(vocabulary, wanted), [vocabulary, wanted]);
  const list = useRef<HTMLUListElement>(null);
  /** The form goes, and what had the focus in it. */
  const endEditing = (): void => {
    setEditing(null);
    list.current?.focus();
  };

  const add = (entry: VocabularyEntry, instead: string | null): void => {
    if (surplusOf(without(own, instead), [entry]) > 0) {
      say(strings.full);
      return;
    }
    void change((before) => withEntries(without(before, instead), [entry]));
    if (instead !== null) endEditing();
    say(strings.added(entry.write));
  };
  const remove = (entry: VocabularyEntry): void => {
    void change((before) => without(before, entry.write));
    say(strings.removed(entry.write));
    list.current?.focus();
  };

  return (
    <section className="words-section" aria-label={strings.title}>
      <h3>{strings.title}</h3>
      <p className="option-help">{strings.about}</p>
      <WordForm strings={strings} onAdd={(entry) => add(entry, null)} say={say} />
      {vocabulary.length > SHOWN_AT_ONCE / 3 && (
        <label className="words-field">
          <span>{strings.search(vocabulary.length)}</span>
          <input
            type="search"
            value={sought}
            onChange={(event) => {
              setSought(event.currentTarget.value);
              setMost(SHOWN_AT_ONCE);
            }}
          />
        </label>
      )}
      {found.length === 0 && (
        <p className="option-help">{vocabulary.length === 0 ? strings.none : strings.notFound}</p>
      )}
      <ul ref={list} className="words-list" tabIndex={-1} aria-label={strings.title}>
        {found.slice(0, most).map((entry) => (
          <li key={entry.write}>
            {editing === entry.write ? (
              <WordForm
                entry={entry}
                strings={strings}
                onAdd={(changed) => add(changed, entry.write)}
                onCancel={endEditing}
                say={say}
              />
            ) : (
              <WordRow
                entry={entry}
                strings={strings}
                onEdit={() => setEditing(entry.write)}
                onRemove={() => remove(entry)}
              />
            )}
          </li>
        ))}
      </ul>
      {found.length > most && (
        <button
          type="button"
          className="tool is-outlined"
          onClick={() => setMost(most + 5 * SHOWN_AT_ONCE)}
        >
          {strings.more(found.length - most)}
        </button>
      )}
      <Pasted own={own} strings={strings} change={change} say={say} />
    </section>
  );
}

function without<Own extends { readonly vocabulary: readonly VocabularyEntry[] }>(
  before: Own,
  word: string | null,
): Own {
  return { ...before, vocabulary: before.vocabulary.filter(({ write }) => write !== word) };
}

function entriesWith(
  vocabulary: readonly VocabularyEntry[],
  sought: string,
): readonly VocabularyEntry[] {
  const part = sought.trim().toLowerCase();
  if (part === '') return vocabulary;
  return vocabulary.filter(({ write, soundsLike = [] }) =>
    [write, ...soundsLike].some((word) => word.toLowerCase().includes(part)),
  );
}

type WordRowProps = {
  readonly entry: VocabularyEntry;
  readonly strings: Strings;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
};

function WordRow({ entry, strings, onEdit, onRemove }: WordRowProps) {
  const { write, soundsLike = [] } = entry;
  return (
    <div className="words-row">
      <span className="words-word">{write}</span>
      {soundsLike.length > 0 && (
        <span className="option-help">{strings.soundsLike(soundsLike.join(', '))}</span>
      )}
      <span className="words-tools">
        <button type="button" className="tool" aria-label={strings.edit(write)} onClick={onEdit}>
          <Pencil aria-hidden />
        </button>
        <button
          type="button"
          className="tool"
          aria-label={strings.remove(write)}
          onClick={onRemove}
        >
          <Trash2 aria-hidden />
        </button>
      </span>
    </div>
  );
}

type WordFormProps = {
  /** The one to be changed. @default a new one */
  readonly entry?: VocabularyEntry;
  readonly strings: Strings;
  readonly onAdd: (entry: VocabularyEntry) => void;
  readonly onCancel?: () => void;
  readonly say: (text: string) => void;
};

/** A form of its own, so that a keystroke draws nothing else. */
function WordForm({ entry, strings, onAdd, onCancel, say }: WordFormProps) {
  const [write, setWrite] = useState(entry?.write ?? '');
  const [sounds, setSounds] = useState(entry?.soundsLike?.join('; ') ?? '');
  const first = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // As a row of a list would be read, so that the same is taken here.
    const cell = `"${write.replaceAll('"', '""')}"`;
    const [read] = parseVocabulary(`${cell};${sounds}`).entries;
    first.current?.focus();
    if (!read) {
      say(strings.noLetter);
      return;
    }
    onAdd(read);
    setWrite('');
    setSounds('');
  };
  return (
    <form className="words-form" onSubmit={submit}>
      <label className="words-field">
        <span>{strings.word}</span>
        <input
          ref={first}
          value={write}
          maxLength={80}
          autoComplete="off"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: whoever asks to change a word is to be in its field.
          autoFocus={entry !== undefined}
          onChange={(event) => setWrite(event.currentTarget.value)}
        />
      </label>
      <label className="words-field">
        <span>{strings.sounds}</span>
        <input
          value={sounds}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setSounds(event.currentTarget.value)}
        />
      </label>
      <span className="words-buttons">
        <button type="submit" className="tool is-outlined">
          {entry ? strings.save : strings.add}
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

/** Many at once, as a table or another program has them. */
function Pasted({ own, strings, change, say }: PartProps<Strings>) {
  const [text, setText] = useState('');
  const id = useId();
  const addAll = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const { entries, refused, surplus } = parseVocabulary(text);
    const left = surplusOf(own, entries);
    await change((before) => withEntries(before, entries));
    say(strings.pasted(entries.length - left, refused + surplus + left));
    setText('');
  };
  return (
    <details className="disclosure">
      <summary className="tool">
        <span>{strings.paste}</span>
        <ChevronDown aria-hidden />
      </summary>
      <form className="words-form is-wide" onSubmit={(event) => void addAll(event)}>
        <p id={id} className="option-help">
          {strings.pasteHelp}
        </p>
        <textarea
          rows={6}
          value={text}
          aria-label={strings.paste}
          aria-describedby={id}
          spellCheck={false}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" className="tool is-outlined">
          {strings.pasteAdd}
        </button>
      </form>
    </details>
  );
}
