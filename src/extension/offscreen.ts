import type { StartOptions } from '../core/contracts/dictation.ts';
import { DICTATION_FIELD_OPTIONS } from '../core/options/dictation-options.ts';
import { createDictation } from '../create-dictation.ts';
import { ask, DICTATION_PORT, type OffscreenCommand } from './messages.ts';
import { createDictationServer } from './serve-dictation.ts';
import { type ExtensionSettings, setupOf } from './settings.ts';

/*
 * The one document of the browser that records, keeps and sends: its storage is the extension's own.
 * It has no storage of settings in reach: the service worker, which starts it, sends them.
 */

/** Nobody has been connected and nothing has waited for so long: it is started again when wanted. */
const REST_MS = 120_000;

type Server = ReturnType<typeof createDictationServer>;
let made: {
  readonly server: Server;
  readonly dictation: ReturnType<typeof createDictation>;
} | null = null;
/** Frames that connected before the settings had come. */
let early: chrome.runtime.Port[] = [];
/** The settings in use; null until they come. */
let latest: ExtensionSettings | null = null;
/** Settings that came during a recording: applied after it. */
let later: ExtensionSettings | null = null;
let isToldRecording = false;
let restTimer: ReturnType<typeof setTimeout> | undefined;

function create(settings: ExtensionSettings): NonNullable<typeof made> {
  const dictation = createDictation({
    ...setupOf(settings),
    assetBaseUrl: chrome.runtime.getURL('assets/'),
  });
  dictation.subscribe(() => {
    const { isRecording } = dictation.getSnapshot().session;
    if (isRecording !== isToldRecording) {
      isToldRecording = isRecording;
      void ask<'recording'>({ kind: 'recording', isRecording }).catch(() => {});
    }
    if (later && dictation.setOptions(setupOf(later))) later = null;
    rest();
  });
  return { dictation, server: createDictationServer(dictation, optionsWithoutField) };
}

/** Options of what is recorded without a field, whose page would say more. */
function optionsWithoutField(): StartOptions {
  if (!latest) return DICTATION_FIELD_OPTIONS;
  const { language, removePii, fixSpelling } = latest;
  const likelyLanguages = [navigator.language];
  return { ...DICTATION_FIELD_OPTIONS, language, removePii, fixSpelling, likelyLanguages };
}

function take(settings: ExtensionSettings): void {
  latest = settings;
  if (!made) {
    made = create(settings);
    for (const port of early) made.server.serve(port);
    early = [];
    rest();
    return;
  }
  const { phase } = made.dictation.getSnapshot().session;
  const isFree = phase === 'idle' || phase === 'stopped';
  later = isFree && made.dictation.setOptions(setupOf(settings)) ? null : settings;
}

/** Ends the document where nothing has been asked of it for long and nothing waits in it. */
function rest(): void {
  clearTimeout(restTimer);
  restTimer = setTimeout(() => {
    const snapshot = made?.dictation.getSnapshot();
    const isAtRest = snapshot?.session.phase === 'idle' && snapshot.queue.items.length === 0;
    if (isAtRest && !made?.server.isServing()) window.close();
    else rest();
  }, REST_MS);
}

chrome.runtime.onConnect.addListener((port) => {
  if (port.name !== DICTATION_PORT || port.sender?.id !== chrome.runtime.id) return;
  if (made) made.server.serve(port);
  else early.push(port);
});

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  // Frames of pages may ask the service worker alone.
  if (sender.id !== chrome.runtime.id || sender.tab) return;
  const command = message as OffscreenCommand;
  switch (command.kind) {
    case 'offscreen-settings':
      take(command.settings as ExtensionSettings);
      answer(true);
      return;
    case 'offscreen-ready':
      answer(made !== null);
      return;
    case 'offscreen-stop': {
      const { phase = 'idle', isRecording = false } = made?.dictation.getSnapshot().session ?? {};
      const isOn = isRecording || phase === 'starting';
      if (isOn) void made?.dictation.stop();
      answer(isOn);
      return;
    }
    case 'offscreen-start':
      made?.server.startWithoutField();
      answer(true);
      return;
  }
});
