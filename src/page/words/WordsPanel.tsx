import './words.css';
import { ChevronDown, Download, Upload } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import {
  type RulesFile,
  readRulesFile,
  readRulesValue,
  writeRulesFile,
} from '../../core/text/rules-file.ts';
import { commandsIn, type ListedCommand } from '../../core/text/spoken-commands.ts';
import { DEFAULT_TEXT_RULES, type TextRuleChoices } from '../../core/text/text-rules.ts';
import { Choice } from '../../widget/fields.tsx';
import type { InterfaceLanguage } from '../../widget/options.ts';
import {
  type OwnRules,
  type RulesStore,
  rulesStore,
  surplusOf,
  useOwnRules,
  withEntries,
  withSnippets,
} from './own-rules.ts';
import { type PartProps, Switch } from './parts.tsx';
import { SnippetList } from './SnippetList.tsx';
import { WordList } from './WordList.tsx';
import { WORDS_ENGLISH } from './words-strings-en.ts';
import { WORDS_SWEDISH, type WordsStrings } from './words-strings-sv.ts';

type WordsPanelProps = {
  readonly language: InterfaceLanguage;
  /** @default the page's own */
  readonly store?: RulesStore;
};

/** Own words, snippets, what is done with the text, and every command there is. */
export function WordsPanel({ language, store = rulesStore() }: WordsPanelProps) {
  const strings = language === 'en' ? WORDS_ENGLISH : WORDS_SWEDISH;
  const own = useOwnRules(store);
  const [said, setSaid] = useState('');
  // Drawn before they were read, the lists would push what is below them from under the pointer.
  if (!own.isRead) return null;
  return (
    <div className="words-panel">
      <p className="words-said" role="status">
        {own.isRefused ? strings.refused : said}
      </p>
      <WordList own={own} change={store.change} strings={strings.words} say={setSaid} />
      <SnippetList own={own} change={store.change} strings={strings.snippets} say={setSaid} />
      <RuleSwitches own={own} change={store.change} strings={strings} />
      <Shared strings={strings.shared} />
      <Commands rules={{ ...DEFAULT_TEXT_RULES, ...own.rules }} strings={strings.commands} />
      <OneFile own={own} change={store.change} strings={strings.file} say={setSaid} />
    </div>
  );
}

/** Beside the page, as our own server has it. */
const SHARED_PATH = 'api/vocabulary';

/** The lists of the server's operator, read only. */
function Shared({ strings }: { readonly strings: WordsStrings['shared'] }) {
  const [lists, setLists] = useState<RulesFile | null>(null);
  useEffect(() => {
    let isOver = false;
    fetch(SHARED_PATH, { cache: 'no-store' })
      .then(async (answer) => {
        const read = answer.ok ? readRulesValue(await answer.json()) : null;
        if (!isOver) setLists(read);
      })
      // Another server has none.
      .catch(() => {});
    return () => {
      isOver = true;
    };
  }, []);
  const { vocabulary = [], replacements = [] } = lists ?? {};
  if (vocabulary.length + replacements.length === 0) return null;
  return (
    <section className="words-section" aria-label={strings.title}>
      <h3>{strings.title}</h3>
      <p className="option-help">{strings.about(vocabulary.length, replacements.length)}</p>
      <p>
        {[...vocabulary, ...replacements]
          .map((one) => ('say' in one ? one.say : one.write))
          .slice(0, SHARED_SHOWN)
          .join(', ')}
      </p>
    </section>
  );
}

/** More of the operator's words are counted, and not named. */
const SHARED_SHOWN = 200;

/** The rules that are on or off, in their order. */
const SWITCHES = ['ownWords', 'structure', 'control', 'marks', 'numbers', 'replacements'] as const;

function RuleSwitches({ own, change, strings }: Omit<PartProps<WordsStrings>, 'say'>) {
  const { rules: words } = strings;
  const rules = { ...DEFAULT_TEXT_RULES, ...own.rules };
  const set = (changed: Partial<TextRuleChoices>): void =>
    void change((before) => ({ ...before, rules: { ...before.rules, ...changed } }));
  const helps: Partial<Record<string, string>> = {
    control: words.controlHelp,
    marks: words.marksHelp,
    numbers: words.numbersHelp,
  };
  return (
    <fieldset className="words-section">
      <legend>{words.title}</legend>
      {SWITCHES.map((name) => (
        <Switch
          key={name}
          label={words[name]}
          help={helps[name]}
          isOn={rules[name]}
          onChange={(isOn) => set({ [name]: isOn })}
        />
      ))}
      <Choice
        label={words.fillers}
        value={rules.fillers}
        choices={(['off', 'light', 'full'] as const).map((level) => [
          level,
          words.fillerLevels[level],
        ])}
        onChange={(level) => set({ fillers: level as TextRuleChoices['fillers'] })}
      />
      <Switch
        label={strings.words.learn}
        isOn={own.isLearning}
        onChange={(isLearning) => void change((before) => ({ ...before, isLearning }))}
      />
    </fieldset>
  );
}

type CommandsProps = {
  readonly rules: TextRuleChoices;
  readonly strings: WordsStrings['commands'];
};

function Commands({ rules, strings }: CommandsProps) {
  const isOn = ({ kind }: ListedCommand): boolean => {
    if (kind === 'literally') return rules.marks || rules.structure;
    if (kind === 'strike' || kind === 'undo' || kind === 'stop') return rules.control;
    return kind === 'break' ? rules.structure : rules.marks;
  };
  return (
    <section className="words-section" aria-label={strings.title}>
      <h3>{strings.title}</h3>
      <p className="option-help">{strings.about}</p>
      {(['sv', 'en'] as const).map((language) => (
        <details key={language} className="disclosure">
          <summary className="tool">
            <span>{strings.languages[language]}</span>
            <ChevronDown aria-hidden />
          </summary>
          <table className="words-commands">
            <thead>
              <tr>
                <th scope="col">{strings.say}</th>
                <th scope="col">{strings.gives}</th>
              </tr>
            </thead>
            <tbody>
              {commandsIn(language).map((command) => (
                <tr key={`${command.kind} ${command.write}`}>
                  <td lang={language}>{command.said.join(', ')}</td>
                  <td>
                    {[effectOf(command, strings), !isOn(command) && strings.isOff]
                      .filter(Boolean)
                      .join(' ')}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      ))}
    </section>
  );
}

function effectOf({ kind, write }: ListedCommand, strings: WordsStrings['commands']): string {
  if (kind === 'capital') return strings.capital;
  if (kind === 'literally') return strings.literally;
  if (kind === 'strike' || kind === 'undo' || kind === 'stop') return strings[kind];
  return write === '\n' || write === '\n\n' ? strings.writes[write] : write;
}

/** All of it in one file, out and in. */
function OneFile({ own, change, strings, say }: PartProps<WordsStrings['file']>) {
  const id = useId();
  const address = useFileAddress(own);
  const load = async (file: File): Promise<void> => {
    const read = readRulesFile(await file.text());
    if (read === null) return say(strings.broken);
    const { vocabulary, replacements, rules, refused } = read;
    const left = surplusOf(own, vocabulary);
    await change((before) => {
      const merged = withSnippets(withEntries(before, vocabulary), replacements);
      return { ...merged, rules: { ...merged.rules, ...rules } };
    });
    say(strings.imported(vocabulary.length - left, replacements.length, refused + left));
  };
  return (
    <section className="words-section" aria-label={strings.title}>
      <h3>{strings.title}</h3>
      <div className="words-buttons">
        <a className="tool is-outlined" href={address} download={strings.name}>
          <Download aria-hidden />
          <span>{strings.export}</span>
        </a>
        <label className="tool is-outlined words-file">
          <Upload aria-hidden />
          <span>{strings.import}</span>
          <input
            type="file"
            accept=".json,.csv,.txt,.tsv,application/json,text/plain,text/csv"
            aria-describedby={id}
            onChange={(event) => {
              const { files } = event.currentTarget;
              const file = files?.[0];
              if (file) void load(file).catch(() => say(strings.broken));
              // The same file may be chosen again.
              event.currentTarget.value = '';
            }}
          />
        </label>
      </div>
      <p id={id} className="option-help">
        {strings.importHelp}
      </p>
    </section>
  );
}

/** The address of a file that has them as they are. */
function useFileAddress({ vocabulary, replacements, rules }: OwnRules): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const text = writeRulesFile({ vocabulary, replacements, rules });
    const made = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [vocabulary, replacements, rules]);
  return address;
}
