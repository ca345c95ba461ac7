import { useCallback, useEffect, useRef, useState } from 'react';
import { type ModelAction, type ModelList, type ModelsClient, modelFor } from './models-client.ts';

/** While something is under way, where no answer came, and else: another tab may begin it. */
const BUSY_LOOK_MS = 1_000;
const AWAY_LOOK_MS = 10_000;
const IDLE_LOOK_MS = 30_000;

const UNDER_WAY = ['fetching', 'converting', 'trying'];

/** The server's models as they are now. */
export type Models = {
  /** Null until they are known. */
  readonly list: ModelList | null;
  /** The server has not answered the last time. */
  readonly isAway: boolean;
  /** Has something done; false when it could not be. */
  act(id: string, action: ModelAction): Promise<boolean>;
};

/** Looks at the server's models again and again, until the one for `language` is ready. */
export function useModels(client: ModelsClient, language: string): Models {
  const [list, setList] = useState<ModelList | null>(null);
  const [isAway, setIsAway] = useState(false);
  /** Looks count from here: an older one that comes late says what is no longer so. */
  const turn = useRef(0);

  const take = useCallback(async (answer: Promise<ModelList>): Promise<boolean> => {
    const own = ++turn.current;
    try {
      const next = await answer;
      if (own !== turn.current) return true;
      setList(next);
      setIsAway(false);
      return true;
    } catch {
      if (own === turn.current) setIsAway(true);
      return false;
    }
  }, []);

  const state = list === null ? 'unknown' : (modelFor(list.models, language)?.state ?? 'none');
  const isOver = state === 'ready' || state === 'none';
  const restMs = UNDER_WAY.includes(state) ? BUSY_LOOK_MS : IDLE_LOOK_MS;
  const pauseMs = isAway ? AWAY_LOOK_MS : restMs;
  useEffect(() => {
    if (isOver) return;
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      await take(client.list());
      if (!isGone) timer = setTimeout(look, document.hidden ? IDLE_LOOK_MS : pauseMs);
    };
    if (state === 'unknown' && !isAway) void look();
    else timer = setTimeout(look, pauseMs);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [client, take, state, isAway, isOver, pauseMs]);

  const act = useCallback(
    async (id: string, action: ModelAction): Promise<boolean> => {
      const isDone = await take(client.act(id, action));
      // Refused is not away: the next look says.
      if (!isDone) void take(client.list());
      return isDone;
    },
    [client, take],
  );
  return { list, isAway, act };
}
