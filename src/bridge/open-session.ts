import * as Comlink from 'comlink';
import type { CaptureHandle, CapturePort, CaptureRequest } from '../core/capture-port.ts';
import type { SessionOptions } from '../core/dictation-options.ts';
import { type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import type { SessionLead } from './session-lead.ts';

/** What a session is opened with. */
export type SessionOpening = {
  readonly id: string;
  readonly lead: SessionLead;
  readonly options: SessionOptions;
  readonly capture: CapturePort<MessagePort>;
  readonly request: Omit<CaptureRequest<MessagePort>, 'framePort'>;
  /** Told once the microphone's frames flow. */
  readonly onOpen: (capture: CaptureHandle<MessagePort>) => void;
};

/** Opens worker and microphone side by side. Null when both are, or why not; then nothing stays open. */
export async function openSession(opening: SessionOpening): Promise<ErrorInfo | null> {
  const { id, lead, options, capture, request } = opening;
  const { port1, port2 } = new MessageChannel();
  let framePort: MessagePort | null = port1;
  const begun = lead.call((api) => {
    const answer = api.begin(id, options);
    // A worker that goes on with it instead gets a port of its own.
    if (framePort) void api.connect(id, Comlink.transfer(framePort, [framePort]));
    framePort = null;
    return answer;
  });
  const [worked, microphone] = await Promise.allSettled([
    begun,
    capture.open({ ...request, framePort: port2 }),
  ]);
  const refusal =
    worked.status === 'rejected' ? toErrorInfo(worked.reason, 'worker-crashed') : worked.value;
  if (microphone.status === 'rejected') {
    return refusal ?? toErrorInfo(microphone.reason, 'microphone-failed');
  }
  const why = refusal ?? (await tellOpened(opening, microphone.value));
  if (why) await microphone.value.end();
  return why;
}

async function tellOpened(
  { id, lead, onOpen }: SessionOpening,
  microphone: CaptureHandle<MessagePort>,
): Promise<ErrorInfo | null> {
  lead.attach(microphone);
  onOpen(microphone);
  // A crash is told elsewhere.
  return lead.call((api) => api.opened(id, microphone.device)).catch(() => null);
}
