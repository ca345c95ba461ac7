import { useRef, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { BinLine, RemoveAllButton } from '../widget/Bin.tsx';
import { Choice } from '../widget/Choice.tsx';
import { useListStrings } from '../widget/list-strings.ts';
import { useSnapshot } from '../widget/use-snapshot.ts';
import { Group } from './OptionFields.tsx';
import { usePageStrings } from './page-strings.ts';
import { KEEP_HOURS, type SettingsStore } from './settings.ts';

type KeepingOptionsProps = {
  readonly dictation: Dictation;
  readonly keepRecordings: number;
  readonly change: SettingsStore['change'];
};

/** How long recordings are kept, where, and how large they are; and their end. */
export function KeepingOptions({ dictation, keepRecordings, change }: KeepingOptionsProps) {
  const { keeping: strings } = usePageStrings();
  const listStrings = useListStrings();
  const { list, usedBytes } = useSnapshot(dictation, ({ recordings }) => recordings);
  const [wasRemoved, setWasRemoved] = useState(false);
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const focusId = useRef<string | null>(null);
  const binned = list.filter(({ state }) => state.kind === 'in-bin').map(({ id }) => id);
  return (
    <Group title={strings.title}>
      <Choice
        label={strings.keep}
        help={strings.where}
        value={String(keepRecordings)}
        choices={KEEP_HOURS.map((hours) => [String(hours), strings.times[hours]])}
        onChange={(hours) => change({ keepRecordings: Number(hours) })}
      />
      <div className="option keeping-now">
        <p ref={setPlace} tabIndex={-1}>
          {strings.now(list.length - binned.length, listStrings.size(usedBytes))}
        </p>
        <RemoveAllButton
          dictation={dictation}
          onRemove={(ids) => {
            focusId.current = ids[0] ?? null;
            setWasRemoved(true);
          }}
        />
        {wasRemoved && binned.length > 0 && (
          <BinLine dictation={dictation} ids={binned} focusId={focusId} fallback={place} />
        )}
      </div>
    </Group>
  );
}
