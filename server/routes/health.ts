import type { FastifyInstance } from 'fastify';
import { DECODABLE_AUDIO_TYPES } from '../audio/decodable-audio.ts';
import type { TranscriptionEngine } from '../engine/engine-port.ts';
import type { TextRules } from '../text-rules.ts';
import type { QueueLoad } from '../work-queue.ts';

/** Where one asks whether speech can be turned into text. */
export const HEALTH_PATH = '/api/health';

/** The body of the health answer. */
export type HealthAnswer = {
  readonly status: 'loading' | 'ready' | 'failed';
  /** Why it is not ready; null when it is. */
  readonly reason: string | null;
  readonly engine: string;
  readonly model: string;
  readonly languages: readonly string[];
  readonly defaultLanguage: string;
  readonly audioTypes: readonly string[];
  readonly textRules: TextRules['states'];
  readonly queue: QueueLoad;
};

/** What the route reports on. */
export type HealthPorts = {
  readonly engine: TranscriptionEngine;
  readonly textRules: TextRules;
  readonly queueLoad: () => QueueLoad;
};

/** `GET /api/health`: 200 when ready, else 503 with the same body. */
export function addHealthRoute(app: FastifyInstance, ports: HealthPorts): void {
  const { engine, textRules, queueLoad } = ports;
  app.get(HEALTH_PATH, async (_request, reply): Promise<HealthAnswer> => {
    const state = engine.state();
    if (state.status !== 'ready') reply.code(503);
    if (state.status === 'loading') reply.header('retry-after', '1');
    return {
      status: state.status,
      reason: reasonOf(state),
      ...engine.description,
      audioTypes: DECODABLE_AUDIO_TYPES,
      textRules: textRules.states,
      queue: queueLoad(),
    };
  });
}

function reasonOf(state: ReturnType<TranscriptionEngine['state']>): string | null {
  if (state.status === 'loading') return 'the speech engine is loading';
  return state.status === 'failed' ? state.reason : null;
}
