import type { Attack } from './attack.ts';
import { damagedFiles } from './damaged-files.ts';
import { damagedForms } from './damaged-forms.ts';
import { forwardedLies } from './forwarded.ts';
import { hostileEngines } from './hostile-engine.ts';
import { hostileStores } from './hostile-store.ts';
import { swappedTerms } from './meaning.ts';
import { pageUnderLoad } from './page-under-load.ts';
import { realtimeTricks } from './realtime.ts';
import { silentClients } from './silent-clients.ts';
import { manyAnswers, openByMistake, squattedKeys } from './small-leaks.ts';
import { foreignPages, oddHeads, reboundNames } from './spellings.ts';
import { stopUnderAttack } from './stop.ts';
import { endlessFragments, flood, noBits } from './worst-files.ts';

/** All attacks there are. */
export const ATTACKS: readonly Attack[] = [
  silentClients,
  realtimeTricks,
  endlessFragments,
  noBits,
  flood,
  foreignPages,
  reboundNames,
  oddHeads,
  openByMistake,
  damagedForms,
  damagedFiles,
  stopUnderAttack,
  swappedTerms,
  pageUnderLoad,
  forwardedLies,
  hostileEngines,
  hostileStores,
  squattedKeys,
  manyAnswers,
];
