import type { Attack } from './attack.ts';
import { forwardedLies, pageUnderLoad, silentClients } from './clients.ts';
import { damagedFiles, damagedForms, damagedOtherFiles } from './damaged.ts';
import { hostileEngines, hostileStores } from './hostile.ts';
import { realtimeTricks } from './realtime.ts';
import { manyAnswers, openByMistake, squattedKeys, swappedTerms } from './small-leaks.ts';
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
  damagedOtherFiles,
  stopUnderAttack,
  swappedTerms,
  pageUnderLoad,
  forwardedLies,
  hostileEngines,
  hostileStores,
  squattedKeys,
  manyAnswers,
];
