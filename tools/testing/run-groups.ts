import { runStage, type Stage, type StageResult } from './run-stage.ts';

/** Stages that run one after the other. */
export type Lane = readonly Stage[];

/** Lanes that run side by side. */
export type Group = readonly Lane[];

/**
 * Runs one group after the other. When a stage fails its group is run to the end, so that one run
 * tells of all that is wrong, and no other group begins.
 */
export async function runGroups(
  groups: readonly Group[],
  env: NodeJS.ProcessEnv,
  run: typeof runStage = runStage,
): Promise<readonly StageResult[]> {
  const results: StageResult[] = [];
  for (const group of groups) {
    await Promise.all(
      group.map(async (lane) => {
        for (const stage of lane) results.push(await run(stage, env));
      }),
    );
    if (results.some(({ code }) => code !== 0)) return results;
  }
  return results;
}
