import { runStage, type Stage, type StageResult } from './run-stage.ts';

/** Stages that run one after the other. */
export type Lane = readonly Stage[];

/** Lanes that run side by side. */
export type Group = readonly Lane[];

/**
 * Runs one group after the other. A stage that fails ends its lane; the other lanes of its group run to their end, so
 * that one run tells of all that is wrong, and no further group begins.
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
        for (const stage of lane) {
          const result = await run(stage, env);
          results.push(result);
          if (result.code !== 0) return;
        }
      }),
    );
    if (results.some(({ code }) => code !== 0)) return results;
  }
  return results;
}
